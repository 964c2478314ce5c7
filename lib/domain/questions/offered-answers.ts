import type {
  AnswerDefinition,
  AnswerField,
  AnswerInput,
  DecisionsFileForm,
  FieldChoice,
  OfferedAnswer,
} from './answer-definition.ts';
import { type ChangesetAnswerFacts, changesetAnswerDefinitions } from './changeset-answers.ts';
import {
  agentAnswerDefinitions,
  baseAnswerDefinitions,
  budgetAnswerDefinitions,
  planAnswerDefinitions,
  sessionAnswerDefinitions,
} from './plan-session-budget-answers.ts';
import type { QuestionData } from './question-data.ts';
import { validationAnswerDefinitions, validatorAnswerDefinitions } from './validation-answers.ts';

/** The table of all answers, by the kind of question. */
const answerTable = {
  plan: planAnswerDefinitions,
  validation: validationAnswerDefinitions,
  validator_failed: validatorAnswerDefinitions,
  changesets: changesetAnswerDefinitions,
  session: sessionAnswerDefinitions,
  budget: budgetAnswerDefinitions,
  base: baseAnswerDefinitions,
  question: agentAnswerDefinitions,
} as const satisfies {
  readonly [Gate in AnswerableQuestionData['gate']]: readonly AnswerDefinition<
    Extract<AnswerableQuestionData, { gate: Gate }>
  >[];
};

/** Facts that the answers of a question depend on. */
export type AnswerableQuestionData = Exclude<QuestionData, { readonly gate: 'changesets' }> | ChangesetAnswerFacts;

/** The answers that a question offers, the usual one first. */
export function listOfferedAnswers(asks: AnswerableQuestionData): readonly OfferedAnswer[] {
  return mapRows(asks, offered);
}

/** The decision in a few words: `approved`, `rejected: too early`. */
export function describeGateDecision(gate: QuestionData['gate'], given: AnswerInput): string {
  const rows: readonly Pick<AnswerDefinition<never>, 'word' | 'done'>[] = answerTable[gate];
  const done = rows.find(({ word }) => word === given.kind)?.done ?? given.kind;
  return typeof done === 'string' ? done : done(given);
}

/** The rows of a question's answers that are offered, as `resolve` makes answers of each. */
function mapRows<Resolved>(
  asks: AnswerableQuestionData,
  resolve: <Asks>(row: AnswerDefinition<Asks>, asks: Asks) => readonly Resolved[],
): readonly Resolved[] {
  const rows: readonly AnswerDefinition<never>[] = answerTable[asks.gate];
  // The rows of a gate are about what is asked there, as the table's type has it.
  const at = asks as never;
  return rows.filter(({ isOffered }) => isOffered?.(at) ?? true).flatMap((row) => resolve(row, at));
}

function offered<Asks>(row: AnswerDefinition<Asks>, asks: Asks): readonly OfferedAnswer[] {
  const { word, label, key, look = '', send = '', confirms = false, fields } = row;
  const common = { word, label, key, look, send, confirms, fields: fields?.(asks) ?? [], name: '' } as const;
  if (row.each !== undefined) return row.each(asks).map((one) => ({ ...common, ...one }));
  return [{ ...common, means: meansOf(row, asks), given: {} }];
}

function meansOf<Asks>({ means }: Pick<AnswerDefinition<Asks>, 'means'>, asks: Asks): string {
  return typeof means === 'string' ? means : means(asks);
}

/** An answer as it is typed in one line: a word, what stands behind it, and options. */
export interface CommandLineAnswer {
  readonly word: string;
  /** `REASON`; in brackets where it may be left out; '': nothing stands there. */
  readonly text: string;
  /** Names of fields that are given as options. */
  readonly options: readonly string[];
  /** Its effect, a clause. */
  readonly means: string;
  /** The answer that a text and values of options come to. */
  read(text: string, options: Readonly<Record<string, unknown>>): AnswerInput;
}

/** How fields are given as options. */
export const answerFieldFlags: Readonly<Record<string, string>> = {
  message: '--message MESSAGE',
  tasks: '--tasks ID,ID',
  keep: '--keep-work',
  comments: "--comment 'PATH:LINE TEXT'",
};

/** The answers to a question as they are typed, one for each word, the usual one first. */
export function listCommandLineAnswers(asks: QuestionData): readonly CommandLineAnswer[] {
  const found = new Map<string, CommandLineAnswer>();
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
export function renderAnswerUsage({
  word,
  text,
  options,
}: Pick<CommandLineAnswer, 'word' | 'text' | 'options'>): string {
  return [word, text, ...options.map((name) => `[${answerFieldFlags[name]}]`)].filter(Boolean).join(' ');
}

function sorted(options: readonly string[]): readonly string[] {
  return Object.keys(answerFieldFlags).filter((name) => options.includes(name));
}

function typed<Asks>(row: AnswerDefinition<Asks>, asks: Asks): readonly CommandLineAnswer[] {
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
      options: fields.map(({ name }) => name).filter((name) => name in answerFieldFlags),
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
  if (field.kind === 'one') return { [field.name]: findFieldChoiceByName(field.options, text) ?? text };
  return text === '' ? {} : { [field.name]: text };
}

/** The value of the option that is called so; the latest of that name. */
export function findFieldChoiceByName(options: readonly FieldChoice[], text: string): string | undefined {
  return options.findLast(({ value, name }) => value === text || name === text)?.value;
}

type Form = Omit<DecisionsFileForm<never>, 'isNamed'>;

/** The ways in which answers at a gate are written in a decisions file. */
export function listDecisionsFileForms(gate: QuestionData['gate']): readonly (Form & { readonly answer: string })[] {
  const rows: readonly Pick<AnswerDefinition<never>, 'word' | 'inFile'>[] = answerTable[gate];
  return rows.flatMap(({ word, inFile = [] }) =>
    inFile.map((form) => ({ usage: form.field ?? '', ...form, answer: word })),
  );
}

/** The answers that a question offers as a decisions file has them: `approve`, `{reject: REASON}`. */
export function renderDecisionsFileForms(asks: AnswerableQuestionData): readonly string[] {
  return mapRows(asks, ({ inFile = [] }, at) =>
    inFile
      .filter(({ isNamed }) => isNamed?.(at) ?? true)
      .map(({ word, key, field = '', usage = field }) => word ?? `{${key}: ${usage.toUpperCase()}}`),
  );
}

/** The options of the gate's own command that answer it: `--reject REASON`. */
export function listAnsweringOptions(asks: AnswerableQuestionData): readonly string[] {
  return mapRows(asks, ({ flag }, at) => (flag === undefined ? [] : [flag(at)]));
}

/** An entry of a decisions file, as the schema leaves it. */
export type DecisionsFileEntry = string | Readonly<Record<string, unknown>>;

/** The answer that an entry gives, as its schema left it. */
export function readDecisionsFileAnswer<Answer>(gate: QuestionData['gate'], entry: DecisionsFileEntry): Answer {
  const forms = listDecisionsFileForms(gate);
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
