import * as z from 'zod';

const text = z.string().max(20_000);

/** What the page sends when the person decided. The commit is the one that was shown: an approval is of nothing else. */
export const decideSchema = z.strictObject({
  changeset: z.string().max(200),
  commit: z.string().max(64),
  decision: z.unknown(),
});

/** Whether a changeset can land with a message. */
export const messageSchema = z.strictObject({ changeset: z.string().max(200), message: text });

/** What was decided about it is taken back. */
export const takeBackSchema = z.strictObject({ changeset: z.string().max(200) });

export const preferencesSchema = z.strictObject({
  layout: z.enum(['side', 'line']),
  theme: z.enum(['auto', 'dark', 'light']),
});
