import * as z from 'zod';
import { lineSchema } from '../text-schemas.ts';

/** Limits of the reasons that a worker gives, in characters, and of their number. */
export const fileReasonLimits = { path: 500, text: 160, ofTask: 100 } as const;

/** Why a worker changed a file, in its own words. */
export const fileReasonSchema = z.object({
  path: lineSchema(fileReasonLimits.path),
  text: lineSchema(fileReasonLimits.text),
});
export type FileReason = Readonly<z.infer<typeof fileReasonSchema>>;
