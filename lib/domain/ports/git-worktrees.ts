import type { ObjectId } from '../ids.ts';

export interface HeadState {
  /** Short name of the checked-out branch; null when detached. */
  readonly branch: string | null;
  /** null on an unborn branch. */
  readonly commit: ObjectId | null;
}

/** A worktree of the repository, as `git worktree list` knows it. */
export interface WorktreeInfo {
  readonly path: string;
  readonly head: ObjectId | null;
  /** Short branch name; null when detached. */
  readonly branch: string | null;
}

/** Operation in progress on a branch, in one of its worktrees. */
export type BranchOperation = 'rebase' | 'am' | 'merge' | 'cherry-pick' | 'revert' | 'bisect';

/** A worktree that uses a branch: it is checked out there, or to be moved by what is under way there. */
export interface BranchUse {
  readonly path: string;
  /** false: there is no work tree at that path. */
  readonly isThere: boolean;
  readonly operation: BranchOperation | null;
}

/** The person's worktrees. */
export interface GitWorktrees {
  head(workTree: string): Promise<HeadState>;
  worktrees(): Promise<readonly WorktreeInfo[]>;
  /** Worktrees that have a branch checked out, or whose rebase, bisection or the like will come back to it. */
  branchUses(branch: string): Promise<readonly BranchUse[]>;
  /** Paths `git status` reports in a work tree, untracked ones included, ignored ones not. */
  dirtyPaths(workTree: string): Promise<readonly string[]>;
  /** Tracked paths with staged or unstaged changes; untracked files are not among them. */
  changedTracked(workTree: string): Promise<readonly string[]>;
  /** Paths that from → to would add where a worktree holds files git doesn't track. */
  filesInTheWay(workTree: string, from: ObjectId, to: ObjectId): Promise<readonly string[]>;
  /** Git's reasons against bringing a worktree from one commit to another; none: it can be done. Changes nothing. */
  advanceObstacles(workTree: string, from: ObjectId, to: ObjectId): Promise<readonly string[]>;
  /** Brings a clean worktree whose branch was moved from → to along; refuses to touch local changes. */
  advanceWorktree(
    workTree: string,
    from: ObjectId,
    to: ObjectId,
  ): Promise<'advanced' | 'already' | 'refused'>;
  /**
   * A plain worktree for a person with a branch checked out: made at `start`, moved there, or as it is. Calls
   * wait for each other.
   */
  addPersonWorktree(
    path: string,
    init: { readonly branch: string; readonly start: ObjectId; readonly mode: 'new' | 'reset' | 'as-is' },
  ): Promise<void>;
  /** Takes a worktree off its branch, its files as they are. */
  detachWorktree(path: string): Promise<void>;
  /** Removes a person's worktree that has no local changes; false where it has some. */
  removePersonWorktree(path: string): Promise<boolean>;
}
