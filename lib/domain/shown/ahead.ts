import type { ObjectId, TaskId } from '../ids.ts';

/** The work of a task, as it is committed: accepted, or what an agent or a person has so far. */
export interface AheadTask {
  readonly task: TaskId;
  readonly commit: ObjectId;
  readonly at_work: boolean;
}

/** Conflict of two works, or of a work and the branch it will land on, if git merged them now. */
export interface AheadConflict {
  readonly one: AheadTask;
  /** Another task, or the branch with what has landed on it meanwhile. */
  readonly other: AheadTask | { readonly branch: string; readonly commit: ObjectId };
  /** In git's order. None where git names no file, as for a folder that both rename. */
  readonly paths: readonly string[];
  /** The two share no history, so that git doesn't merge them at all. */
  readonly unrelated: boolean;
}

/** Conflicts seen before a merge meets them, as `git flame status --json` prints them. Nothing is decided by them. */
export interface Ahead {
  readonly found: readonly AheadConflict[];
  /** Pairs that may conflict and were not tried, or could not be. */
  readonly untried_pairs: number;
  /** Tasks whose work was not looked at: more than are looked at, or their commits can't be read. */
  readonly unseen_tasks: number;
}
