import * as z from 'zod';
import { textSchema } from '../text.ts';

/** A remark on one line of a rejected change: `old` lines were removed or stood there before, `new` ones came. */
const lineCommentSchema = z.object({
  path: z.string().min(1).max(1_000),
  side: z.enum(['old', 'new']),
  line: z.int().min(1),
  text: textSchema(2_000).refine((text) => text.trim() !== '', 'is empty'),
  /** The line and its neighbours as they were, since the next attempt starts without them. Added when it is recorded. */
  excerpt: z.string().max(1_000).optional(),
});
export type LineComment = Readonly<z.infer<typeof lineCommentSchema>>;

/** Comments that go along with one reject. */
export const lineCommentsSchema = z.array(lineCommentSchema).max(50);

/** The same as a person writes them: on the new side by default, the lines are found by the tool. */
export const givenCommentsSchema = z
  .array(
    lineCommentSchema
      .omit({ excerpt: true })
      .extend({ side: z.enum(['old', 'new']).default('new') })
      .strict(),
  )
  .max(50);

/** Reads `PATH:LINE TEXT`; a minus before the line means the old side. null: it isn't one. */
export function parseComment(typed: string): LineComment | null {
  const match = /^(.+?):(-?)(\d{1,9})[\s:]+(\S.*)$/s.exec(typed.trim());
  if (match === null) return null;
  const [, path, minus, line, text] = match;
  const parsed = lineCommentSchema.safeParse({
    path,
    side: minus === '-' ? 'old' : 'new',
    line: Number(line),
    text,
  });
  return parsed.success ? parsed.data : null;
}
