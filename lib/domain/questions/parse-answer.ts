import * as z from 'zod';
import { isNonBlank } from '../../util/error-text.ts';
import { FlameError } from '../flame-error.ts';
import { givenCommentsSchema } from '../state/line-comment.ts';
import { plannedTaskSchema } from '../state/plan-schema.ts';
import type { AnswerField, OfferedAnswer } from './answer-definition.ts';
import { type AnsweredQuestion, answeringPlaceWords } from './question-data.ts';

/** A text that may be absent or blank. */
const textSchema = z
  .string()
  .max(50_000)
  .transform((text) => (isNonBlank(text) ? text.trim() : undefined));
const nameSchema = z.string().max(200);
const planSchema = z.string().max(1_500_000);
// Without the default of plans: an answer that names no locks leaves the task's as they are.
const locksSchema = plannedTaskSchema.shape.file_locks.removeDefault().min(1);

/**
 * The one door of all answers: what was given, checked against the answers that a question offers, without what was left
 * empty. Throws FlameError `bad-answer`.
 */
export function parseAnswerToQuestion<Parsed>(answers: readonly OfferedAnswer[], given: unknown): Parsed {
  const { kind, ...rest } = parse(z.looseObject({ kind: z.string() }), given);
  const same = answers.filter(({ word }) => word === kind);
  if (same.length === 0) throw badAnswerError(`${kind.slice(0, 100)} is not among its answers`);
  const fields = same.flatMap((answer) => answer.fields);
  const chosen = fields.length === 0 ? same.find((answer) => isSame(answer.given, rest)) : undefined;
  if (fields.length === 0 && chosen === undefined) {
    const why = same.some(({ name }) => name !== '') ? 'is not one of the choices' : 'has more than this answer takes';
    throw badAnswerError(`${[kind, ...Object.values(rest)].join(' ').slice(0, 200)} ${why}`);
  }
  const parsed = fields.length === 0 ? rest : parse(schemaOf(same), rest);
  requireOptions(fields, parsed);
  // The table says which fields go with which word.
  return { kind, ...withoutGaps(parsed) } as Parsed;
}

/** A person's text of bounded length that is not blank. */
function wordsSchema(label: string): z.ZodType {
  return z
    .string(`it is needed (${label})`)
    .max(50_000)
    .refine(isNonBlank, 'it needs visible characters')
    .transform((text) => text.trim());
}

/** Throws FlameError `bad-answer`. */
function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw badAnswerError(`${where === '' ? '' : `${where}: `}${issue?.message ?? 'it is malformed'}`);
}

function isSame(known: OfferedAnswer['given'], given: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(known);
  return names.length === Object.keys(given).length && names.every((name) => known[name] === given[name]);
}

/** Of answers with one word: what all of them need is needed. */
function schemaOf(answers: readonly OfferedAnswer[]): z.ZodType<Readonly<Record<string, unknown>>> {
  const shape: Record<string, z.ZodType> = {};
  for (const field of answers.flatMap(({ fields }) => fields)) {
    const isNeeded = answers.every((answer) => answer.fields.some((one) => one.name === field.name && needs(one)));
    const schema = fieldSchema(field, isNeeded);
    shape[field.name] = isNeeded ? schema : schema.optional();
  }
  return z.strictObject(shape);
}

function needs(field: AnswerField): boolean {
  if (field.kind === 'words') return field.isNeeded;
  return field.kind === 'amount' || field.kind === 'one' || field.kind === 'some';
}

function fieldSchema(field: AnswerField, isNeeded: boolean): z.ZodType {
  switch (field.kind) {
    case 'words':
      if (field.isListed === true) return z.array(z.string().max(50_000)).max(20);
      return field.loads === 'plan' ? planSchema : isNeeded ? wordsSchema(field.label) : textSchema;
    case 'lines':
      return locksSchema;
    case 'tick':
      return z.boolean();
    case 'amount': {
      const amount = z.number().positive().max(1e12);
      return field.isWhole ? amount.refine(Number.isInteger, 'tokens are a whole number') : amount;
    }
    case 'one':
      return nameSchema;
    case 'some':
      return z
        .array(nameSchema)
        .min(1, 'choose at least one')
        .max(10_000)
        .transform((names) => [...new Set(names)]);
    case 'comments':
      return givenCommentsSchema;
  }
}

function requireOptions(fields: readonly AnswerField[], given: Readonly<Record<string, unknown>>): void {
  for (const field of fields) {
    if (field.kind !== 'one' && field.kind !== 'some') continue;
    const chosen = [given[field.name] ?? []].flat();
    const strange = chosen.find((one) => !field.options.some(({ value }) => value === one));
    if (strange !== undefined) throw badAnswerError(`${field.unknown} ${strange}`);
  }
}

function withoutGaps(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const isGap = (value: unknown): boolean =>
    value === undefined || value === false || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(given).filter(([, value]) => !isGap(value)));
}

/** It is no answer to what is asked. */
export function badAnswerError(why: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'bad-answer',
    message: `This is not an answer to the question: ${why}.`,
  });
}

/** Another answer was faster: of whom, where, with what. */
export function answeredAlreadyError({ about, answer, where, by }: AnsweredQuestion): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'answered-already',
    message: `This answer came too late: ${about} was already decided ${answeringPlaceWords[where]} by ${by}: ${answer}.`,
    hints: ['git flame status'],
  });
}

/** The question seen is closed; `how` it ended, a clause: as far as that is known here. */
export function questionClosedError(how = 'the question is no longer open'): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'not-asked',
    message: `This answer was not used: ${how}.`,
    hints: ['git flame status'],
  });
}
