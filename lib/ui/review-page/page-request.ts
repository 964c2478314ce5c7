import * as z from 'zod';
import { givenCommentsSchema } from '../../domain/state/line-comment.ts';
import { saysSomething } from '../../util/says-something.ts';

const text = z.string().max(20_000);

/** What the page sends when the person decided. The commit is the one that was shown: an approval is of nothing else. */
export const decideSchema = z.strictObject({
  changeset: z.string().max(200),
  commit: z.string().max(64),
  decision: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('approve'),
      override: text.optional(),
      comments: givenCommentsSchema.default([]),
      /** What it lands with; '' or left out: what was proposed. */
      message: text.default(''),
    }),
    z.strictObject({
      kind: z.literal('reject'),
      reason: text.refine(saysSomething, 'a reason is needed'),
      comments: givenCommentsSchema.default([]),
      keep: z.boolean().default(false),
      /** Left out: all of its tasks. */
      tasks: z.array(z.string().min(1).max(200)).min(1).max(10_000).optional(),
    }),
    z.strictObject({ kind: z.literal('skip') }),
    z.strictObject({ kind: z.literal('suggest'), comments: givenCommentsSchema.min(1) }),
  ]),
});

/** Whether a changeset can land with a message. */
export const messageSchema = z.strictObject({ changeset: z.string().max(200), message: text });

/** What was decided about it is taken back. */
export const takeBackSchema = z.strictObject({ changeset: z.string().max(200) });

export const preferencesSchema = z.strictObject({
  layout: z.enum(['side', 'line']),
  theme: z.enum(['auto', 'dark', 'light']),
});
