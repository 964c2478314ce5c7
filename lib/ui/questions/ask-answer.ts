import { FlameError } from '../../domain/flame-error.ts';
import type { AnswerField, AnswerInput, OfferedAnswer } from '../../domain/questions/answer-definition.ts';
import { findFieldChoiceByName } from '../../domain/questions/offered-answers.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import { askChoice, askLine, askText, askToKeepWork, type KeyChoice, type TerminalAsking } from './ask-at-terminal.ts';

/** A key that does something of its own; null: nothing is decided by that yet. */
export interface ExtraKey<Decision> {
  /** `(v)iew`. */
  readonly label: string;
  act(): Promise<Decision | null>;
}

export interface AnswerPromptOptions<Decision> {
  readonly asking: TerminalAsking;
  readonly answers: readonly OfferedAnswer[];
  /** Of keys that no answer has, shown before the answer `before`; of one that an answer has, in its place. */
  readonly acts?: readonly ExtraKey<Decision>[];
  readonly before?: string;
  /** Called as a field is given. */
  readonly onField?: (name: string, value: unknown) => Promise<void>;
  /** Turns what was given into a decision; null: none. A refusal is printed, and the question is asked again. */
  decide(given: AnswerInput): Promise<Decision | null>;
}

/** Asks for one answer by its key, and for its fields; null: nothing was decided by it. */
export async function askAnswerOnce<Decision>(options: AnswerPromptOptions<Decision>): Promise<Decision | null> {
  const { asking, answers, acts = [] } = options;
  const key = await askChoice(asking, choicesOf(options));
  const own = acts.find(({ label }) => keyOf(label) === key);
  try {
    if (own !== undefined) return await own.act();
    const given = await fillIn(
      options,
      answers.filter((answer) => keyOf(answer.key) === key),
    );
    return given === null ? null : await options.decide(given);
  } catch (error) {
    if (!(error instanceof FlameError) || error.kind !== 'refused') throw error;
    for (const line of [error.message, ...error.lines]) asking.print(toPrintableLine(line));
    return null;
  }
}

/** Asks until something is decided. */
export async function askUntilDecided<Decision>(
  offer: () => AnswerPromptOptions<Decision> | Promise<AnswerPromptOptions<Decision>>,
): Promise<Decision> {
  for (;;) {
    const decision = await askAnswerOnce(await offer());
    if (decision !== null) return decision;
  }
}

function choicesOf<Decision>({
  answers,
  acts = [],
  before = '',
}: AnswerPromptOptions<Decision>): readonly KeyChoice<string>[] {
  const labels = [...new Set(answers.map(({ key }) => key))];
  const more = acts.map(({ label }) => label).filter((label) => !labels.includes(label));
  const at = answers.find(({ word }) => word === before)?.key;
  const place = at === undefined ? labels.length : labels.indexOf(at);
  const all = [...labels.slice(0, place), ...more, ...labels.slice(place)];
  return all.map((label) => ({ key: keyOf(label), label }));
}

function keyOf(label: string): string {
  return /\((\w)\)/.exec(label)?.[1] ?? '';
}

/** An answer with its fields, of those with one key; null: none after all. */
async function fillIn<Decision>(
  { asking, onField }: AnswerPromptOptions<Decision>,
  answers: readonly OfferedAnswer[],
): Promise<AnswerInput | null> {
  const answer = answers.some(({ name }) => name !== '') ? await askNamed(asking, answers) : answers[0];
  if (answer == null) return null;
  const given: Record<string, unknown> = {};
  for (const field of answer.fields) {
    if (field.kind === 'some') asking.print(asSentence(answer.means));
    const value = await askField(asking, field);
    if (value === null) return null;
    if (value === undefined) continue;
    given[field.name] = value;
    await onField?.(field.name, value);
  }
  return { ...answer.given, ...given, kind: answer.word };
}

/** The value of a field; undefined: it is left out; null: the answer is taken back. */
async function askField(asking: TerminalAsking, field: AnswerField): Promise<unknown> {
  switch (field.kind) {
    case 'words':
      return askWords(asking, field);
    case 'tick':
      return askToKeepWork(asking);
    case 'amount':
      return askAmount(asking, field);
    case 'one':
    case 'some':
      return askOptions(asking, field);
    case 'lines':
    case 'comments':
      return undefined;
  }
}

async function askWords(
  asking: TerminalAsking,
  { label, isNeeded, enter, without }: Extract<AnswerField, { readonly kind: 'words' }>,
): Promise<string | null | undefined> {
  if (enter === undefined) return isNeeded ? askText(asking, prompt(label)) : undefined;
  const text = (await askLine(asking, prompt(label, enter))).trim();
  if (text !== '') return text;
  if (!isNeeded) return undefined;
  if (without !== undefined) asking.print(without);
  return null;
}

function prompt(label: string, enter?: string): string {
  const question = enter === undefined ? label : `${label} (Enter: ${enter})`;
  return question.endsWith('?') ? `${question} ` : `${question}: `;
}

async function askAmount(
  asking: TerminalAsking,
  { label, isWhole }: Extract<AnswerField, { readonly kind: 'amount' }>,
): Promise<number> {
  const pattern = isWhole ? /^\d{1,12}$/ : /^\d{1,9}(?:\.\d{1,4})?$/;
  for (;;) {
    const typed = await askLine(asking, prompt(label));
    const digits = typed.trim().replace(/^\$/, '').replaceAll(',', '');
    const amount = pattern.test(digits) ? Number(digits) : 0;
    if (amount > 0) return amount;
    asking.print(isWhole ? 'Type a whole number of tokens.' : 'Type an amount like 5 or 2.50.');
  }
}

/** One of the options, or some of them, by id or name; null: none after all. */
async function askOptions(
  asking: TerminalAsking,
  { kind, label, options, unknown }: Extract<AnswerField, { readonly options: unknown }>,
): Promise<string | readonly string[] | null> {
  for (const option of options) asking.print(toPrintableLine(`  ${option.label}`));
  for (;;) {
    const typed = (await askLine(asking, prompt(label, 'none'))).trim();
    const names = kind === 'one' ? [typed] : typed.split(/[\s,]+/);
    const selected = names.filter((name) => name !== '');
    if (selected.length === 0) return null;
    const strange = selected.filter((name) => findFieldChoiceByName(options, name) === undefined);
    const values = [...new Set(selected.flatMap((name) => findFieldChoiceByName(options, name) ?? []))];
    if (strange.length === 0) return kind === 'one' ? (values[0] ?? null) : values;
    asking.print(toPrintableLine(asSentence(`${unknown} ${strange.join(', ')}`)));
  }
}

/** One of several answers, by its name; null: none after all. */
async function askNamed(asking: TerminalAsking, answers: readonly OfferedAnswer[]): Promise<OfferedAnswer | null> {
  const names = answers.map(({ name }) => name).join(', ');
  for (;;) {
    const typed = (await askLine(asking, prompt(`Which (${names})`, 'back'))).trim().replace(/\s+/g, ' ');
    if (typed === '') return null;
    const selected = answers.find(({ name }) => name === typed);
    if (selected !== undefined) return selected;
    asking.print(`Type one of: ${names}.`);
  }
}

function asSentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}
