import * as z from 'zod';
import { taskIdPattern } from '../ids.ts';
import { givenCommentsSchema } from '../state/line-comment.ts';
import { mostAttempts } from '../state/tries.ts';

const notes = z.string().min(1).max(50_000);
/** keep: the next attempts start from the rejected work; so with `requeue`. tasks: those alone go back. */
const reject = z.strictObject({
  reject: notes,
  tasks: z.array(z.string().min(1).max(200)).min(1).optional(),
  comments: givenCommentsSchema.optional(),
  keep: z.boolean().optional(),
});
/** override: approves a changeset whose diagnostics fail, passes a task that failed its validation, with the reason why. */
const override = z.strictObject({ override: notes });
/** Approves with remarks on lines, which are kept with the landing; message: what it lands with. */
const remark = z.strictObject({ approve: givenCommentsSchema, message: notes.optional() });
/** What the comments suggest is put on top of the work, as the person's own commits; it is built again. */
const suggest = z.strictObject({ suggest: givenCommentsSchema.min(1) });
const replan = z.strictObject({ replan: notes });
/** Another attempt at a task, from 1, is its work. */
const attempt = z.int().min(1).max(mostAttempts);
const choose = z.strictObject({ choose: z.record(z.string().regex(taskIdPattern), attempt) });
const changesetDecision = z.union([
  z.enum(['approve', 'skip']),
  choose,
  reject,
  override.extend({ comments: givenCommentsSchema.optional(), message: notes.optional() }),
  remark,
  suggest,
]);

/**
 * What `--decisions-file` holds: answers to gates given beforehand, each list used in order.
 */
export const decisionsSchema = z.strictObject({
  plan: z
    .array(z.union([z.enum(['approve', 'quit']), replan, z.strictObject({ edit: z.string().min(1) })]))
    .default([]),
  validation: z
    .array(
      z.union([
        z.enum(['recheck', 'drop']),
        z.strictObject({ drop: notes }),
        z.strictObject({ requeue: notes, keep: z.boolean().optional() }),
        override,
        z.strictObject({ choose: attempt }),
      ]),
    )
    .default([]),
  /** override: passed by hand although a check fails, with the reason why. */
  validator_failed: z.array(z.union([z.enum(['retry', 'skip', 'manual']), override])).default([]),
  /** A map answers by cohesion group, `all` for every further changeset; `reject`, `override`, `choose` and `suggest` alone in a map are a decision, not a group. */
  changesets: z.array(z.union([changesetDecision, z.record(z.string(), changesetDecision)])).default([]),
  /** retry: the next cycle, in which what failed is tried again too. */
  session: z.array(z.union([z.enum(['continue', 'retry', 'stop']), replan])).default([]),
  /** What agents ask, in the order in which they do: the answer, or one for each question of a call. */
  question: z
    .array(
      z.union([z.literal('proceed'), z.strictObject({ answer: z.union([notes, z.array(notes).min(1)]) })]),
    )
    .default([]),
  /** raise: added to the limit, in its unit. */
  budget: z.array(z.union([z.literal('stop'), z.strictObject({ raise: z.number().positive() })])).default([]),
});

export type Decisions = Readonly<z.infer<typeof decisionsSchema>>;
export type ChangesetAnswer = z.infer<typeof changesetDecision>;
