import type { ObjectId, TaskId } from '../ids.ts';
import type { Changeset, DiffStat } from './changeset.ts';
import type { LineComment } from './line-comment.ts';

/** Changes in a changeset, or in the work of a task, since a person saw it last. */
export interface SinceSeen {
  /** Versions they saw, oldest first: several where tasks were in other groups then. */
  readonly seen: readonly SeenVersion[];
  /** The tree of what they saw as it would be on what the work is built on now: what is compared with. */
  readonly from: ObjectId;
  /** The commit compared with it. */
  readonly to: ObjectId;
  /** Whether what lies below moved meanwhile; what came from there is not part of the difference. */
  readonly isMoved: boolean;
  /** Files in which it and what lies below changed the same lines: there, both show. */
  readonly clashes: readonly string[];
  readonly diffstat: DiffStat;
  readonly commits: readonly CommitPair[];
  readonly comments: readonly AnsweredComment[];
}

/** `id` is null for the work of a task, which is in no changeset of its own. */
export interface SeenVersion extends Pick<Changeset, 'reason' | 'commit'> {
  readonly id: string | null;
  /** rejected, skipped, conflict; of a task's attempt what its history says. */
  readonly became: string;
}

/** Commits of a task's work then and now, as `git range-diff` pairs them. */
export interface CommitPair {
  readonly task: TaskId;
  readonly kind: 'same' | 'changed' | 'gone' | 'new';
  readonly old: ObjectId | null;
  readonly new: ObjectId | null;
  readonly subject: string;
}

/**
 * changed: of its lines one is another one now · gone: its lines were taken out · beside: the change lies next to it · stands: nothing changed there ·
 * overtaken: what landed below meanwhile changed it · file-gone: its file is gone or was moved · unknown: there never was such a line.
 */
export type CommentFate = 'changed' | 'gone' | 'beside' | 'stands' | 'overtaken' | 'file-gone' | 'unknown';

/** A comment of the round before, and what answers it. */
export interface AnsweredComment {
  readonly comment: LineComment;
  readonly fate: CommentFate;
  /** Where the line, or the first of them, is now; null where it is no more. */
  readonly line: number | null;
  /** The change there: lines of a diff, each with its sign; none where there is none. */
  readonly answer: readonly string[];
}
