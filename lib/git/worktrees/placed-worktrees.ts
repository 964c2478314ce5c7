import type { WorktreeInfo } from '../../domain/ports/git-port.ts';
import { type GitAccess, onObjects } from '../objects/git-access.ts';
import { listWorktrees } from '../process/list-worktrees.ts';

/**
 * All work trees of the repository, each where it is: of a main one whose git folder lies elsewhere, git names that
 * folder. A bare repository is left out.
 */
export async function placedWorktrees(access: GitAccess): Promise<readonly WorktreeInfo[]> {
  const { commonDir, gitDir, workTree, mainWorkTree } = access.repository;
  // From a linked work tree, a main one may not be known: then what is called so is the linked one.
  const isKnown = gitDir === commonDir || mainWorkTree !== workTree;
  const all = await listWorktrees(onObjects(access));
  return all.flatMap(({ isBare, ...worktree }) => {
    if (isBare) return [];
    const isMisnamed = worktree.path === commonDir && isKnown && mainWorkTree !== null;
    return [isMisnamed ? { ...worktree, path: mainWorkTree } : worktree];
  });
}
