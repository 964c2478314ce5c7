import * as z from 'zod';
import { taskIdPattern } from '../ids.ts';
import { type DecisionsFileEntry, listDecisionsFileForms } from '../questions/offered-answers.ts';
import type { QuestionData } from '../questions/question-data.ts';
import { mostAttempts } from '../state/attempt-record.ts';
import { givenCommentsSchema } from '../state/line-comment.ts';

const text = z.string().min(1).max(50_000);
const attempt = z.int().min(1).max(mostAttempts);

/** Types of the first key of an entry. */
const held = {
  words: text,
  comments: givenCommentsSchema,
  amount: z.number().positive(),
  attempt,
  attempts: z.record(z.string().regex(taskIdPattern), attempt),
  texts: z.union([text, z.array(text).min(1)]),
} as const;

/** Types of the further keys. */
const beside = {
  tasks: z.array(z.string().min(1).max(200)).min(1),
  comments: givenCommentsSchema,
  keep: z.boolean(),
  message: text,
} as const;

/** An entry at a gate: one of the forms that the table of answers has for it. */
function entrySchema(gate: QuestionData['gate']): z.ZodType<DecisionsFileEntry> {
  const words: string[] = [];
  const maps: z.ZodType<DecisionsFileEntry>[] = [];
  for (const { word, key, holds = 'words', answer, beside: others = [] } of listDecisionsFileForms(gate)) {
    if (word !== undefined) words.push(word);
    if (key === undefined) continue;
    // A suggestion has at least one line.
    const first = answer === 'suggest' ? givenCommentsSchema.min(1) : held[holds];
    const rest = Object.fromEntries(others.map((name) => [name, beside[name].optional()]));
    maps.push(z.strictObject({ [key]: first, ...rest }));
  }
  return z.union([z.enum(words), ...maps]);
}

const changesetEntry = entrySchema('changesets');
const entriesByGroup = z.record(z.string(), changesetEntry);

/** Content of `--decisions-file`: answers to gates given beforehand, each list used in order. */
export const decisionsFileSchema = z.strictObject({
  plan: z.array(entrySchema('plan')).default([]),
  validation: z.array(entrySchema('validation')).default([]),
  validator_failed: z.array(entrySchema('validator_failed')).default([]),
  /** A map answers by cohesion group, `all` for every further changeset; a decision in map form is no such map. */
  changesets: z.array(z.union([changesetEntry, entriesByGroup])).default([]),
  session: z.array(entrySchema('session')).default([]),
  /** Answers to agents' questions, in the order of the calls: the answer, or one for each question of a call. */
  question: z.array(entrySchema('question')).default([]),
  budget: z.array(entrySchema('budget')).default([]),
});

export type ParsedDecisionsFile = Readonly<z.infer<typeof decisionsFileSchema>>;

/** An entry's answers by cohesion group; null: it decides about a changeset itself. */
export function readAnswersByGroup(
  entry: ParsedDecisionsFile['changesets'][number],
): Map<string, DecisionsFileEntry> | null {
  const groups = changesetEntry.safeParse(entry).success ? null : entriesByGroup.safeParse(entry);
  return groups?.success === true ? new Map(Object.entries(groups.data)) : null;
}
