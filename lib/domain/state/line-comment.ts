import * as z from 'zod';
import { textSchema } from '../text-schemas.ts';

/** A remark covers at most so many lines. */
const mostLines = 1_000;

/** A remark on lines of a change: `old` ones were removed or stood there before, `new` ones came. */
const fields = z.object({
  path: z.string().min(1).max(1_000),
  side: z.enum(['old', 'new']),
  line: z.int().min(1),
  /** The last line, where it is about several. */
  to: z.int().min(1).optional(),
  text: textSchema(2_000).refine((text) => text.trim() !== '', 'is empty'),
  /** The lines and their neighbours as they were, since the next attempt starts without them. Added when it is recorded. */
  excerpt: z.string().max(4_000).optional(),
});

function isRange({ line, to = line }: { readonly line: number; readonly to?: number | undefined }): boolean {
  return to >= line && to - line < mostLines;
}

const rangeRule = `its last line is before its first, or more than ${mostLines} lines after it`;
const lineCommentSchema = fields.refine(isRange, rangeRule);
export type LineComment = Readonly<z.infer<typeof lineCommentSchema>>;

/** Comments that go along with one decision. */
export const lineCommentsSchema = z.array(lineCommentSchema).max(50);

/** Comments as a person writes them: on the new side by default, the lines are found by the tool. */
export const givenCommentsSchema = z
  .array(
    fields
      .omit({ excerpt: true })
      .extend({ side: z.enum(['old', 'new']).default('new') })
      .strict()
      .refine(isRange, rangeRule),
  )
  .max(50);

/** Reads `PATH:LINE TEXT`, or `PATH:LINE-LINE TEXT`; a minus in front means the old side. null: it isn't one. */
export function parseLineComment(typed: string): LineComment | null {
  const match = /^(.+?):(-?)(\d{1,9})(?:-(\d{1,9}))?[\s:]+(\S.*)$/s.exec(typed.trim());
  if (match === null) return null;
  const [, path, minus, line, to, text] = match;
  const parsed = lineCommentSchema.safeParse({
    path,
    side: minus === '-' ? 'old' : 'new',
    line: Number(line),
    ...(to === undefined || to === line ? {} : { to: Number(to) }),
    text,
  });
  return parsed.success ? parsed.data : null;
}
