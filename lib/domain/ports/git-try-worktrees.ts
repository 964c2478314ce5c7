import type { ObjectId, SessionId } from '../ids.ts';
import type { CellWorktree } from './git-cells.ts';

/** What a worktree was made for: a person tries a changeset in it. */
export interface TryWorktreeSubject {
  readonly session: SessionId;
  readonly group: string;
  /** Its id, and the commit that was checked out. */
  readonly changeset: string;
  readonly commit: ObjectId;
  /** What it builds on: what that ignores is not the person's work. */
  readonly base: ObjectId;
}

/** A plain worktree of the person's in which they try a changeset. Its own git folder holds these facts. */
export interface TryWorktree extends TryWorktreeSubject {
  readonly path: string;
}

/** What the person made in such a worktree, which is nowhere else. */
export interface OwnWorkInTry {
  /** Changed and untracked paths, but for those its setup left as they are. */
  readonly changes: readonly string[];
  /** Those of them that only rules of the changeset ignore. */
  readonly ignored: readonly string[];
  /** Commits that no ref holds, the newest first; at most twenty. */
  readonly commits: readonly ObjectId[];
  /** Whether it is as it was made: also on the same commit, and on no branch. */
  readonly isAsMade: boolean;
}

/** Why one stays: git was asked to lock it, submodules are in it, or its folder can't be moved. */
export type TryRemoval = 'removed' | 'locked' | 'submodules' | 'not moved';

/** Worktrees in which the person tries changesets. */
export interface GitTryWorktrees {
  tryWorktrees(): Promise<readonly TryWorktree[]>;
  /**
   * Makes a scratch worktree that is set up the person's own: git knows it as any other, on a detached HEAD. What lies
   * in it untracked is recorded as no work of theirs. `runsHooks`: their git takes its hooks from there. Throws as
   * handWorktreeToPerson does.
   */
  turnIntoTryWorktree(
    cell: CellWorktree,
    subject: TryWorktreeSubject,
  ): Promise<TryWorktree & { readonly runsHooks: boolean }>;
  findOwnWorkInTry(tried: TryWorktree): Promise<OwnWorkInTry>;
  /**
   * Removes one without own work; what else is ignored goes with it. Rejects where files can't be removed: then those
   * left are in a folder beside it, which the next start removes.
   */
  removeTryWorktree(tried: TryWorktree): Promise<TryRemoval>;
}
