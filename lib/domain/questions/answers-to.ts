import type { Answer, AnswerField, AnswerRow, FieldOption, FileForm, Given } from './answer-row.ts';
import { type ChangesetFacts, changesetAnswers } from './changeset-answers.ts';
import type { GateAsks } from './gate.ts';
import { agentAnswers, baseAnswers, budgetAnswers, planAnswers, sessionAnswers } from './run-answers.ts';
import { validationAnswers, validatorAnswers } from './validation-answers.ts';

/** The table of all answers, by the kind of question. */
const answerTable = {
  plan: planAnswers,
  validation: validationAnswers,
  validator_failed: validatorAnswers,
  changesets: changesetAnswers,
  session: sessionAnswers,
  budget: budgetAnswers,
  base: baseAnswers,
  question: agentAnswers,
} as const satisfies {
  readonly [Gate in QuestionFacts['gate']]: readonly AnswerRow<Extract<QuestionFacts, { gate: Gate }>>[];
};

/** Facts that the answers of a question depend on. */
export type QuestionFacts = Exclude<GateAsks, { readonly gate: 'changesets' }> | ChangesetFacts;

/** The answers that a question offers, the usual one first. */
export function answersTo(asks: QuestionFacts): readonly Answer[] {
  return mapRows(asks, offered);
}

/** The decision in a few words: `approved`, `rejected: too early`. */
export function describeDecision(gate: GateAsks['gate'], given: Given): string {
  const rows: readonly Pick<AnswerRow<never>, 'word' | 'done'>[] = answerTable[gate];
  const done = rows.find(({ word }) => word === given.kind)?.done ?? given.kind;
  return typeof done === 'string' ? done : done(given);
}

/** The rows of a question's answers that are offered, as `resolve` makes answers of each. */
function mapRows<Resolved>(
  asks: QuestionFacts,
  resolve: <Asks>(row: AnswerRow<Asks>, asks: Asks) => readonly Resolved[],
): readonly Resolved[] {
  const rows: readonly AnswerRow<never>[] = answerTable[asks.gate];
  // The rows of a gate are about what is asked there, as the table's type has it.
  const at = asks as never;
  return rows.filter(({ isOffered }) => isOffered?.(at) ?? true).flatMap((row) => resolve(row, at));
}

function offered<Asks>(row: AnswerRow<Asks>, asks: Asks): readonly Answer[] {
  const { word, label, key, look = '', fields } = row;
  const common = { word, label, key, look, fields: fields?.(asks) ?? [], name: '' } as const;
  if (row.each !== undefined) return row.each(asks).map((one) => ({ ...common, ...one }));
  return [{ ...common, means: meansOf(row, asks), given: {} }];
}

function meansOf<Asks>({ means }: Pick<AnswerRow<Asks>, 'means'>, asks: Asks): string {
  return typeof means === 'string' ? means : means(asks);
}

/** An answer as it is typed in one line: a word, what stands behind it, and options. */
export interface TypedAnswer {
  readonly word: string;
  /** `REASON`; in brackets where it may be left out; '': nothing stands there. */
  readonly text: string;
  /** Names of fields that are given as options. */
  readonly options: readonly string[];
  /** Its effect, a clause. */
  readonly means: string;
  /** The answer that a text and values of options come to. */
  read(text: string, options: Readonly<Record<string, unknown>>): Given;
}

/** How fields are given as options. */
export const fieldOptions: Readonly<Record<string, string>> = {
  message: '--message MESSAGE',
  tasks: '--tasks ID,ID',
  keep: '--keep-work',
  comments: "--comment 'PATH:LINE TEXT'",
};

/** The answers to a question as they are typed, one for each word, the usual one first. */
export function typedAnswers(asks: GateAsks): readonly TypedAnswer[] {
  const found = new Map<string, TypedAnswer>();
  for (const one of mapRows(asks, (row, at) => typed(row, at))) {
    const known = found.get(one.word);
    found.set(
      one.word,
      known === undefined ? one : { ...known, options: [...new Set([...known.options, ...one.options])] },
    );
  }
  return [...found.values()].map((one) => ({ ...one, options: sorted(one.options) }));
}

/** `reject REASON [--keep-work]`. */
export function answerUsage({ word, text, options }: Pick<TypedAnswer, 'word' | 'text' | 'options'>): string {
  return [word, text, ...options.map((name) => `[${fieldOptions[name]}]`)].filter(Boolean).join(' ');
}

function sorted(options: readonly string[]): readonly string[] {
  return Object.keys(fieldOptions).filter((name) => options.includes(name));
}

function typed<Asks>(row: AnswerRow<Asks>, asks: Asks): readonly TypedAnswer[] {
  const { word, typed: special } = row;
  if (row.each !== undefined && (special === undefined || row.each(asks).length === 0)) return [];
  const fields = row.fields?.(asks) ?? [];
  const first = fields.find((field) => 'usage' in field && field.usage !== undefined);
  const usage = special?.usage?.(asks) ?? (first === undefined ? '' : usageOf(first));
  return [
    {
      word,
      text: usage,
      means: special?.means?.(asks) ?? meansOf(row, asks),
      options: fields.map(({ name }) => name).filter((name) => name in fieldOptions),
      read: (text, options) => {
        const own = special?.read?.(text, asks) ?? (first === undefined ? {} : readField(first, text));
        return { ...options, ...own, kind: word };
      },
    },
  ];
}

function usageOf(field: AnswerField): string {
  return 'usage' in field ? (field.usage ?? '') : '';
}

function readField(field: AnswerField, text: string): Readonly<Record<string, unknown>> {
  if (field.kind === 'amount') return { amount: Number(text) };
  if (field.kind === 'one') return { [field.name]: valueNamed(field.options, text) ?? text };
  return text === '' ? {} : { [field.name]: text };
}

/** The value of the option that is called so; the latest of that name. */
export function valueNamed(options: readonly FieldOption[], text: string): string | undefined {
  return options.findLast(({ value, name }) => value === text || name === text)?.value;
}

type Form = Omit<FileForm<never>, 'isNamed'>;

/** The ways in which answers at a gate are written in a decisions file. */
export function fileForms(gate: GateAsks['gate']): readonly (Form & { readonly answer: string })[] {
  const rows: readonly Pick<AnswerRow<never>, 'word' | 'inFile'>[] = answerTable[gate];
  return rows.flatMap(({ word, inFile = [] }) => inFile.map((form) => ({ ...form, answer: word })));
}

/** The answers that a question offers as a decisions file has them: `approve`, `{reject: REASON}`. */
export function namedForms(asks: QuestionFacts): readonly string[] {
  return mapRows(asks, ({ inFile = [] }, at) =>
    inFile
      .filter(({ isNamed }) => isNamed?.(at) ?? true)
      .map(({ word, key, usage = '' }) => word ?? `{${key}: ${usage.toUpperCase()}}`),
  );
}

/** The options of the gate's own command that answer it: `--reject REASON`. */
export function answerFlags(asks: QuestionFacts): readonly string[] {
  return mapRows(asks, ({ flag }, at) => (flag === undefined ? [] : [flag(at)]));
}

/** An entry of a decisions file, as the schema leaves it. */
export type FileEntry = string | Readonly<Record<string, unknown>>;

/** The answer that an entry gives, as its schema left it. */
export function readFileAnswer<Answer>(gate: GateAsks['gate'], entry: FileEntry): Answer {
  const forms = fileForms(gate);
  const isText = typeof entry === 'string';
  const form = forms.find(({ word, key }) => (isText ? word === entry : key !== undefined && key in entry));
  const { [form?.key ?? '']: held, ...beside } = isText ? {} : entry;
  const own = isText ? {} : form?.holds === 'attempts' ? attemptOf(held) : { [form?.field ?? '']: held };
  // The table says which fields go with which word.
  return { ...own, ...beside, kind: form?.answer } as Answer;
}

/** Of a task's id and the number of its attempt. */
function attemptOf(held: unknown): Readonly<Record<string, unknown>> {
  const [[task, attempt] = ['', 0]] = Object.entries(held ?? {});
  return { task, attempt };
}
