import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import { joinNames } from '../../util/file-names.ts';
import { followAgent } from '../cells/view.ts';
import type { GitAccess } from '../objects/git-access.ts';
import { runGit } from '../process/run-git.ts';

/** Makes tracked files of a cell what its HEAD has them be, as git checks them out. */
export async function restoreTracked(
  access: GitAccess,
  cell: CellWorktree,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const { git } = await followAgent(access, cell);
  await runGit(git, ['checkout-index', '--force', '-z', '--stdin'], { input: joinNames(paths) });
}
