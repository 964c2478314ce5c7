import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import { killPoint } from '../../util/kill-point.ts';
import { commitTree } from '../objects/commit-tree.ts';
import type { GitAccess } from '../objects/git-access.ts';
import { type GitContext, runGit } from '../process/run-git.ts';
import { listLeftovers } from './leftovers.ts';
import { stagePaths } from './stage-paths.ts';
import { requireEmptySubmodules } from './submodules.ts';
import { followAgent, forgetOwnIndex, ownGit, pathsOf } from './view.ts';

interface RescueInit {
  readonly message: string;
  readonly author: string;
  /** Paths that are left out. */
  readonly without?: readonly string[];
  /** Paths that git ignores. */
  readonly also?: readonly string[];
}

/**
 * Commits the whole worktree of a cell into its quarantine, ignored and prepared files left out, and changes
 * nothing the agent's git would see: it can be done again. The commit stands on the agent's HEAD, and on the
 * start where that is broken. null: nothing differs from the start.
 */
export async function rescueCell(
  access: GitAccess,
  cell: CellWorktree,
  { without = [], also = [], ...init }: RescueInit,
): Promise<ObjectId | null> {
  const places = pathsOf(access, cell);
  const { root } = places;
  const { head, git } = await openView(access, cell);
  await requireEmptySubmodules(access, cell, head);
  try {
    const left = new Set(without);
    const found = await listLeftovers(git, root, access.bounds);
    const paths = [...found.map(({ path }) => path).filter((path) => !left.has(path)), ...also];
    if (paths.length === 0 && head === cell.start) return null;
    // Before it, too: killed in it, what is staged would be taken for what HEAD holds, and the cell for empty.
    forgetOwnIndex(places);
    const tree = await stagePaths(git, paths);
    killPoint('rescue staged');
    return await commitTree(access, git, { tree, parents: [head], ...init });
  } finally {
    forgetOwnIndex(places);
  }
}

async function openView(
  access: GitAccess,
  cell: CellWorktree,
): Promise<{ readonly head: ObjectId; readonly git: GitContext }> {
  try {
    return await followAgent(access, cell);
  } catch (error) {
    const isBroken = error instanceof FlameError && /^cell-(?:head|objects)-/.test(error.code);
    // More than can be judged stays where it is, whole.
    if (!isBroken) throw error;
    const git = await ownGit(access, cell);
    await runGit(git, ['read-tree', '--reset', cell.start]);
    return { head: cell.start, git };
  }
}
