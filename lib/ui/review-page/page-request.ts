import * as z from 'zod';

/** The page's request to decide. The commit is the one that was shown: an approval is of nothing else. */
export const decideSchema = z.strictObject({
  changeset: z.string().max(200),
  commit: z.string().max(64),
  decision: z.unknown(),
});

/** The request to take a decision back. */
export const takeBackSchema = z.strictObject({ changeset: z.string().max(200) });

export const preferencesSchema = z.strictObject({
  layout: z.enum(['side', 'line']),
  theme: z.enum(['auto', 'dark', 'light']),
});
