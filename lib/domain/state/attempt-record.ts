import * as z from 'zod';
import { failureKinds } from '../failure.ts';
import { type AgentId, taskIdPattern } from '../ids.ts';
import { lineSchema } from '../text-schemas.ts';
import { fileReasonSchema } from './file-reason.ts';
import { objectIdSchema, taskIdSchema } from './id-schemas.ts';

/** The most agents at work on one task at once, each on its own attempt. */
export const mostAttempts = 8;

const adapter = z.string().regex(taskIdPattern);
const model = lineSchema(100);

/** With what one of several attempts at a task is made; null: as the task's only one would be. */
const attemptChoiceSchema = z.strictObject({
  adapter: adapter.nullish().transform((name) => name ?? null),
  model: model.nullish().transform((id) => id ?? null),
});
export type AttemptAdapterAndModel = Readonly<z.output<typeof attemptChoiceSchema>>;

/** As a task's note stores it; a task of one attempt has none. */
export const attemptsSchema = z.array(attemptChoiceSchema).min(2).max(mostAttempts);

/** As a plan says it: how many attempts, or with what each is made; an adapter's name alone will do. */
export const plannedAttemptsSchema = z
  .union(
    [
      z.int().min(1).max(mostAttempts),
      z
        .array(z.union([adapter, attemptChoiceSchema]))
        .min(2)
        .max(mostAttempts),
    ],
    {
      error: `must be a number from 1 to ${mostAttempts}, or 2 to ${mostAttempts} adapters or {adapter, model}`,
    },
  )
  .transform((asked): AttemptAdapterAndModel[] | undefined => {
    const alike = { adapter: null, model: null };
    if (typeof asked === 'number') return asked === 1 ? undefined : Array.from({ length: asked }, () => alike);
    return asked.map((one) => (typeof one === 'string' ? { ...alike, adapter: one } : one));
  });

/** One of several attempts at a task: who made it with what, and what it came to. */
export const attemptRecordSchema = z.object({
  agent_id: z.string().transform((id) => id as AgentId),
  adapter: z.string(),
  /** null: it asks none. */
  model: z.string().nullable(),
  /** left-out: it did not fit in the budget. null: it is at work, or is made once there is a place. */
  ended: z.enum(['handed-in', 'failed', 'left-out']).nullable(),
  /** Its last words. */
  notes: z.string(),
  /** Its notes for later tasks. */
  left: z.array(z.string()),
  /** Why it changed which file, as it says; left out where it gave none. */
  reasons: z.array(fileReasonSchema).optional(),
  cost_usd: z.number(),
  tokens: z.number(),
  /** Why it failed. */
  failure: z
    .object({
      kind: z.enum(failureKinds),
      message: z.string(),
      details: z.array(z.string()),
      retryable: z.boolean(),
      rules: z.array(z.string()),
    })
    .optional(),
  /** Its work, compared with `start`; `from`: where it began, if that was not there; `built_on` as in its task. */
  work: z
    .object({
      commit: objectIdSchema,
      start: objectIdSchema,
      from: objectIdSchema.optional(),
      built_on: z.array(z.object({ task: taskIdSchema, commit: objectIdSchema })).optional(),
      files: z.int(),
      /** Added and removed. */
      lines: z.int(),
    })
    .optional(),
  /** The diagnostics that failed on it; left out where none were run. */
  failing: z.array(z.string()).optional(),
  /** Left out where it was not judged. */
  verdict: z.enum(['pass', 'fail']).optional(),
  /** Its work is the task's. */
  chosen: z.literal(true).optional(),
});
export type AttemptRecord = Readonly<z.infer<typeof attemptRecordSchema>>;
