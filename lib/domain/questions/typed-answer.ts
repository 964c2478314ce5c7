import type { AnswerField, AnswerRow, FieldOption, Given } from './answer-row.ts';
import { mapRows, meansOf } from './answers-to.ts';
import type { GateAsks } from './gate.ts';

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
