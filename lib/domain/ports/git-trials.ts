import type { ObjectId } from '../ids.ts';
import type { Quarantine } from './git-cells.ts';

/** A commit of the repository, or one that may still be in the quarantine of a cell. */
export interface PlacedCommit {
  readonly commit: ObjectId;
  readonly quarantine: Quarantine | null;
}

/** Paths that differ between two commits, a rename as both of its names. */
export interface ChangedPaths {
  readonly paths: readonly string[];
  /** Whether a path is deleted or renamed. */
  readonly removes: boolean;
}

/** Result of a trial merge; `unrelated`: the two share no history. */
export type Trial =
  | { readonly kind: 'clean' }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  | { readonly kind: 'unrelated' };

/**
 * Tries merges of commits that agents may still work on. Nothing enters the repository and nothing an agent wrote runs.
 * Results are only shown to a person: those objects are not verified. A git that takes long, or whose signal aborts, is
 * ended (FlameError `cell-git-ended`, `interrupted`).
 */
export interface GitTrials {
  /** Throws FlameError `cell-objects-refused`, or `git-failed` where objects are missing or broken. */
  tryMerge(one: PlacedCommit, other: PlacedCommit, signal: AbortSignal): Promise<Trial>;
  /** Null: more paths than `most`. Throws as tryMerge. */
  pathsChanged(
    from: ObjectId,
    to: PlacedCommit,
    options: { readonly most: number; readonly signal: AbortSignal },
  ): Promise<ChangedPaths | null>;
  /**
   * Where the work in a person's worktree rests: its HEAD, or the branch while a rebase or bisection moves HEAD, and
   * where the worktree is gone. Starts no process. null: neither is there.
   */
  restingTip(workTree: string | null, branch: string): Promise<ObjectId | null>;
}
