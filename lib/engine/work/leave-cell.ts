import { FlameError } from '../../domain/flame-error.ts';
import type { CellWorktree, GitCells } from '../../domain/ports/git-cells.ts';
import type { WithGit } from '../workshop.ts';

/** A worktree that stays is the person's to look into; where that can't be made so now, the next start tries again. */
export async function leaveCell({ git }: WithGit<GitCells>, cell: CellWorktree): Promise<void> {
  // Its end is reported with its task.
  await git.isNews(cell);
  await git.leaveToPerson(cell).catch((error: unknown) => {
    if (!(error instanceof FlameError)) throw error;
  });
}
