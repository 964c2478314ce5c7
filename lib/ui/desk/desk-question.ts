import * as z from 'zod';
import type { GateAsks, GateText } from '../../domain/shown/gate.ts';
import { saysSomething } from '../../util/says-something.ts';
import { badAnswer } from './refused-answers.ts';

/** A question as pages are told of it, and how an answer to it is read. */
export interface DeskQuestion<Decision> {
  readonly asks: GateAsks;
  /** `the plan`, `task-001`, `changeset auth`. */
  readonly about: string;
  /** What an answer is about beyond what is shown: with anything else in it, it is another question. */
  readonly substance?: unknown;
  /** Throws FlameErrors: it is no answer, or none to this question. */
  read(answer: unknown): Promise<Decision>;
  /** A text of it that is shown when it is asked for; null: there is none. */
  text(what: GateText): Promise<string | null>;
}

/** What a person writes, at most; it says something. */
export const wordsSchema = z
  .string()
  .max(50_000)
  .refine(saysSomething, 'a reason is needed that can be seen')
  .transform((text) => text.trim());

/** Throws FlameError `bad-answer`. */
export function parseAnswer<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw badAnswer(`${where === '' ? '' : `${where}: `}${issue?.message ?? 'it has no shape'}`);
}

export async function noText(): Promise<null> {
  return null;
}
