import * as z from 'zod';
import { type ObjectId, type TaskId, taskIdPattern } from '../ids.ts';
import { textSchema } from '../text-schemas.ts';
import { objectIdSchema, taskIdSchema } from './id-schemas.ts';
import { type LineComment, lineCommentsSchema } from './line-comment.ts';
import { diagnosticRunSchema } from './verdict.ts';

/**
 * waiting ─approve─▶ approved ─land─▶ landed
 *    ├─reject─▶ rejected   ├─base moved─▶ void (built again)
 *    ├─skip─▶ skipped      └─conflict─▶ conflict
 *    └─a group it needs was not approved─▶ deferred
 */
const changesetStates = [
  'waiting',
  'approved',
  'rejected',
  'skipped',
  'deferred',
  'landed',
  'conflict',
  'void',
] as const;

/** Characters of a message that a person writes. */
const messageLimit = 50_000;

const diffStatSchema = z.object({ files: z.int(), insertions: z.int(), deletions: z.int() });
export type DiffStat = z.infer<typeof diffStatSchema>;

/** The work of one cohesion group, merged onto `base` (or onto the changeset it depends on) as `commit`. */
export const changesetSchema = z.object({
  /** `<cycle>-<group>`, unique in its session. */
  id: z.string(),
  group: z.string(),
  tasks: z.array(taskIdSchema),
  /** The commit of each of its tasks that it was built from. */
  works: z.array(objectIdSchema),
  /** Tasks of the group that are not in it: sent back, failed or not done when it was built. */
  missing: z.array(taskIdSchema),
  depends_on: z.array(z.string()),
  state: z.enum(changesetStates),
  base: objectIdSchema,
  /** First parent of commit: base, or the changeset this one stacks on. */
  parent: objectIdSchema,
  commit: objectIdSchema,
  diffstat: diffStatSchema,
  diagnostics: z.array(diagnosticRunSchema),
  /** The commit that the diagnostics ran on, where that is an earlier one with the same files. */
  diagnosed: objectIdSchema.optional(),
  reason: z.string().nullable(),
  /**
   * Of one that was rejected in part: the tasks that went back. The others of it go on, in a changeset of their own. Left
   * out where all of them went back.
   */
  rejected_tasks: z.array(taskIdSchema).optional(),
  /** Remarks on lines that came with an approval. */
  remarks: lineCommentsSchema.optional(),
  /** Its commit message, where the person wrote one when they approved it. */
  message: textSchema(messageLimit).optional(),
  decided_by: z.string().nullable(),
  landed_commit: objectIdSchema.nullable(),
  /** The commit it landed on, where that is not the first parent of landed_commit: it landed as several commits. */
  landed_onto: objectIdSchema.optional(),
  /** Once its landing was taken back: as what it had landed. It is rejected then. Left out before. */
  undone: z.object({ commit: objectIdSchema, by: z.string(), at: z.string() }).optional(),
});
export type Changeset = Readonly<z.infer<typeof changesetSchema>>;

/** The branch of a group's changesets, as it is shown in a pull request of its own. */
export const groupPullRequestSchema = z.object({
  group: z.string().regex(taskIdPattern),
  /** Short name. */
  branch: z.string(),
  /** The commit that git-flame brought it to last. */
  tip: objectIdSchema,
  /** Groups whose branches it stands on. */
  on: z.array(z.string()),
  /** Ids of the landed changesets that are on it, oldest first. */
  holds: z.array(z.string()),
  pull_request: z.string().nullable(),
  /** The branch its request goes into, as last set; null before. */
  target: z.string().nullable(),
  /** The number of rounds in which something was taken up of it. */
  rounds: z.int().min(0),
  /** Once it was merged on its host: the commit of the base branch that has all of it. */
  merged: objectIdSchema.nullable(),
});
export type GroupPullRequest = Readonly<z.infer<typeof groupPullRequestSchema>>;

/** The branch of a group's request. Not below the landing branch: git has no branch within a branch. */
export function groupPullRequestBranch(landing: { readonly branch: string }, group: string): string {
  return `${landing.branch}--${group}`;
}

/** Changes in a changeset, or in the work of a task, since a person saw it last. */
export interface ChangesSinceSeen {
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
  readonly commits: readonly RangeDiffPair[];
  readonly comments: readonly CommentWithFate[];
}

/** `id` is null for the work of a task, which is in no changeset of its own. */
export interface SeenVersion extends Pick<Changeset, 'reason' | 'commit'> {
  readonly id: string | null;
  /** rejected, skipped, conflict; of a task's attempt what its history says. */
  readonly became: string;
}

/** Commits of a task's work then and now, as `git range-diff` pairs them. */
export interface RangeDiffPair {
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
export interface CommentWithFate {
  readonly comment: LineComment;
  readonly fate: CommentFate;
  /** Where the line, or the first of them, is now; null where it is no more. */
  readonly line: number | null;
  /** The change there: lines of a diff, each with its sign; none where there is none. */
  readonly answer: readonly string[];
}
