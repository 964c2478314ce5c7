import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import { removeTree } from '../../util/remove-tree.ts';
import { readDiffText } from '../diff/diff-commits.ts';
import { type GitAccess, onObjects, quarantineVariables, withVariables } from '../objects/git-access.ts';
import { runGit } from '../process/run-git.ts';
import { listLeftovers } from './leftovers.ts';
import { lookOver } from './look-over.ts';
import { stagePaths } from './stage-paths.ts';
import { requireEmptySubmodules } from './submodules.ts';
import { trialFolder, trialLimits } from './trial.ts';
import { indexEntries, ownGit, pathsOf, textAtStart } from './view.ts';

/**
 * Diffs the worktree of an agent that has ended against the start of its work, as a unified diff, without ignored and
 * prepared files. Works aside: changes neither the repository nor the index of the worktree, and removes from the
 * worktree only what lookOver does. Throws the FlameErrors of what is too much to be read, and `cell-submodule`.
 */
export async function diffCell(access: GitAccess, cell: CellWorktree): Promise<string> {
  const { ownGitDir, root } = pathsOf(access, cell);
  const objectDir = trialFolder(access.repository.commonDir);
  try {
    await requireEmptySubmodules(access, cell, cell.base);
    const { bounds, guard } = access;
    const before = (path: string): Promise<string | null> => textAtStart(access, cell, path);
    await lookOver(cell.path, { bounds, guard, known: indexEntries(ownGitDir), before });
    const aside = quarantineVariables({ objectDir, alternates: cell.quarantine.alternates });
    const index = join(objectDir, 'index');
    // The index spares reading the files it knows again.
    if (existsSync(join(ownGitDir, 'index'))) copyFileSync(join(ownGitDir, 'index'), index);
    const git = {
      ...withVariables(await ownGit(access, cell), { ...aside, GIT_INDEX_FILE: index }),
      guard: { ...guard, limits: trialLimits },
    };
    await runGit(git, ['read-tree', '--reset', cell.base]);
    const left = await listLeftovers(git, root, bounds);
    const tree = await stagePaths(
      git,
      left.map(({ path }) => path),
    );
    return await readDiffText(withVariables(onObjects(access), aside), cell.base, tree);
  } finally {
    await removeTree(objectDir);
  }
}
