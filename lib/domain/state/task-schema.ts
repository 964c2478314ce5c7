import * as z from 'zod';
import { roleSchema } from '../agent-policy.ts';
import { type AgentId, type ObjectId, taskIdPattern } from '../ids.ts';
import { lineSchema, textSchema } from '../text-schemas.ts';
import { attemptRecordSchema, attemptsSchema } from './attempt-record.ts';
import { fileReasonSchema } from './file-reason.ts';
import { objectIdSchema, sessionIdSchema, taskIdSchema } from './id-schemas.ts';
import { lineCommentsSchema } from './line-comment.ts';
import { claimNumberSchema } from './machine-schemas.ts';
import { taskStatuses } from './task-facts.ts';

const taskStatusSchema = z.enum(taskStatuses);
export type TaskStatus = z.infer<typeof taskStatusSchema>;

const agentId = z.string().transform((id) => id as AgentId);

export const historyEntrySchema = z.object({
  attempt: z.int().min(0),
  agent_id: z.string().nullable(),
  timestamp: z.string(),
  /** The attempt's outcome: failed, rejected, validation_failed, conflict, released, summary. */
  result: z.string(),
  notes: z.string(),
  rejection_reason: z.string().nullable(),
  cost_usd: z.number(),
  tokens_used: z.number(),
  /** A reviewer's remarks on lines of the attempt; left out where there are none, and of older attempts. */
  comments: lineCommentsSchema.optional(),
  /** True where it continues from remarks on its pull request: notes and comments are these. Left out otherwise. */
  on_request: z.literal(true).optional(),
  /** The work of an attempt that was sent back: its own change lies between the two; left out of older attempts. */
  work: z.object({ commit: objectIdSchema, start: objectIdSchema }).optional(),
});
export type HistoryEntry = z.infer<typeof historyEntrySchema>;

const taskResultSchema = z.object({
  status: z.enum(['pass', 'fail']).nullable(),
  notes: z.string(),
  issues: z.array(z.string()),
});

/** The keys of every task's note (docs: the page on refs). Dates are ISO 8601 in UTC. What a status asks for is below. */
const noteSchema = z.object({
  v: z.literal(1),
  /** Grows by one with every change of the note. */
  rev: z.int().min(1),
  id: taskIdSchema,
  session: sessionIdSchema,
  title: lineSchema(200),
  description: textSchema(50_000),
  status: taskStatusSchema,
  role: roleSchema,
  agent_id: agentId.nullable(),
  /** 1 is the highest. */
  priority: z.int().min(1).max(999),
  cohesion_group: z.string().regex(taskIdPattern),
  dependencies: z.array(taskIdSchema),
  file_locks: z.array(lineSchema(500)),
  /** The commit whose files they name; left out where it is the base of the session. */
  locks_at: objectIdSchema.optional(),
  worktree: z.string().nullable(),
  /** Short name, `blueflame/<session>/<task>`; null before the first accepted attempt. */
  branch: z.string().nullable(),
  /** The accepted tip of the branch, and the commit the attempt started from. */
  commit: objectIdSchema.nullable(),
  start_commit: objectIdSchema.nullable(),
  /**
   * The tip of an earlier attempt that a person rejected and kept, and what it is compared with: the next attempt
   * starts from it. Of work that started there: where exactly. Left out where there is none.
   */
  kept: z.object({ commit: objectIdSchema, start: objectIdSchema }).optional(),
  /**
   * Accepted work that had not landed when this one began, and that it starts from: of dependencies, and of tasks with
   * overlapping locks. What one of them holds already is not listed. Left out where there was none.
   */
  built_on: z.array(z.object({ task: taskIdSchema, commit: objectIdSchema })).optional(),
  retry_count: z.int().min(0),
  /** Not to be claimed before this time (backoff). */
  not_before: z.string().nullable(),
  result: taskResultSchema,
  history: z.array(historyEntrySchema),
  model: z.string().nullable(),
  adapter: z.string().nullable(),
  /** With what each of several attempts at once is made, of which one counts in the end; left out where there is one. */
  attempts: attemptsSchema.optional(),
  /** Outcomes of these in the latest round; left out before, and where one attempt is made. */
  tries: z.array(attemptRecordSchema).optional(),
  acceptance_criteria: z.array(textSchema(2_000)),
  constraints: z.array(textSchema(2_000)),
  /** Why it is blocked, failed or dropped, in one line. */
  reason: z.string().nullable(),
  created_by: z.string(),
  claimed_by: z.string().nullable(),
  /** The clone the claim was made in, see cloneName: only there can be known whether its agent still lives. */
  claimed_host: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  claimed_at: z.string().nullable(),
  /** How often it was claimed, never reset: of two claims the one with the larger number holds. Left out before the first. */
  claim: claimNumberSchema.optional(),
  /**
   * Where machines share the session: which one judges this commit, and how often that was claimed, never reset. null:
   * none does. Left out before the first.
   */
  judging: z.object({ machine: z.string().nullable(), claim: claimNumberSchema, commit: objectIdSchema }).optional(),
  /** The address of the issue it was made of, which its landing closes; left out of others. */
  source: z
    .string()
    .max(500)
    .regex(/^https:\/\/[\w.-]+(?::\d+)?(?:\/[\w.-]+){2,21}\/(?:issues|work_items)\/\d{1,12}$/)
    .optional(),
  /**
   * How often a landing of it was taken back, or it was taken up again after one: of two ends the one with the larger
   * number counts. Left out before the first.
   */
  undone: z.int().min(1).optional(),
  /** Why its worker changed which file, as it says: of the work that is accepted. Left out where it gave none. */
  reasons: z.array(fileReasonSchema).optional(),
  /** The commit it landed as, where the branch holds its change and not its own commits. Left out otherwise. */
  landed_as: objectIdSchema.optional(),
  /** The changeset whose landing this one takes back, and what becomes of its tasks once it has landed; left out of others. */
  takes_back: z
    .object({
      changeset: z.string(),
      follow: z.enum(['requeue', 'drop']),
      notes: z.string(),
      keep: z.boolean(),
    })
    .optional(),
});

/** No agent and no person holds it, and no attempt's work counts. */
const untouched = {
  agent_id: z.null(),
  worktree: z.null(),
  commit: z.null(),
  start_commit: z.null(),
  claimed_by: z.null(),
  claimed_at: z.null(),
};
const held = { commit: z.null(), claimed_by: z.string(), claimed_at: z.string() };
const accepted = { branch: z.string(), commit: objectIdSchema, start_commit: objectIdSchema };

/**
 * A task as its note stores it: its status decides which fields are valid. One that failed, is blocked, requeued or
 * dropped keeps what its last attempt left, if there was one.
 */
export const taskSchema = z.discriminatedUnion(
  'status',
  [
    noteSchema.extend({ status: z.literal('pending'), ...untouched }),
    noteSchema.extend({ status: z.literal('claimed'), ...held }),
    noteSchema.extend({ status: z.literal('done'), ...accepted }),
    noteSchema.extend({ status: z.literal('failed') }),
    noteSchema.extend({ status: z.literal('blocked') }),
    noteSchema.extend({ status: z.literal('requeued') }),
    noteSchema.extend({ status: z.literal('merged'), ...accepted }),
    noteSchema.extend({ status: z.literal('dropped') }),
  ],
  { error: `must be one of ${taskStatuses.join(', ')}` },
);
export const taskKeys = noteSchema.keyof().options;

export type Task = Readonly<z.infer<typeof taskSchema>>;
export type BuiltOn = NonNullable<Task['built_on']>;
/** A task in one of these statuses. */
export type TaskWithStatus<Status extends TaskStatus> = Extract<Task, { readonly status: Status }>;
export type ClaimedTask = TaskWithStatus<'claimed'>;
export type DoneTask = TaskWithStatus<'done'>;
/** One with the work of an attempt that was accepted: done, merged, or sent back, failed or given up after that. */
export type TaskWithAcceptedWork = Task & { readonly commit: ObjectId; readonly start_commit: ObjectId };

export function hasAcceptedWork(task: Task): task is TaskWithAcceptedWork {
  return task.commit !== null && task.start_commit !== null;
}

/** An end that only another clone reports, and that nothing here proves. */
export interface UnverifiedCompletion {
  readonly session: string;
  /** Id of the task or changeset; '' of the session itself. */
  readonly about: string;
  /** `merged at 1234abcd5678`. */
  readonly said: string;
  /** As what it counts here; null: this clone has no version of it, and leaves it as it is reported. */
  readonly counts: string | null;
  /** The branch that would prove it; null: only a decision of this clone or a signature does. */
  readonly branch: string | null;
}
