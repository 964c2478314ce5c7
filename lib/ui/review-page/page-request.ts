import * as z from 'zod';

/** What the page sends when the person decided. The commit is the one that was shown: an approval is of nothing else. */
export const decideSchema = z.strictObject({
  changeset: z.string().max(200),
  commit: z.string().max(64),
  decision: z.unknown(),
});

/** What was decided about it is taken back. */
export const takeBackSchema = z.strictObject({ changeset: z.string().max(200) });

export const preferencesSchema = z.strictObject({
  layout: z.enum(['side', 'line']),
  theme: z.enum(['auto', 'dark', 'light']),
});
