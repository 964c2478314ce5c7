import type { AnswerRow, FileForm } from './answer-row.ts';
import { type Asked, answerTable, mapRows } from './answers-to.ts';
import type { GateAsks } from './gate.ts';

type Form = Omit<FileForm<never>, 'isNamed'>;

/** The ways in which answers at a gate are written in a decisions file. */
export function fileForms(gate: GateAsks['gate']): readonly (Form & { readonly answer: string })[] {
  const rows: readonly Pick<AnswerRow<never>, 'word' | 'inFile'>[] = answerTable[gate];
  return rows.flatMap(({ word, inFile = [] }) => inFile.map((form) => ({ ...form, answer: word })));
}

/** The answers that a question offers as a decisions file has them: `approve`, `{reject: REASON}`. */
export function namedForms(asks: Asked): readonly string[] {
  return mapRows(asks, ({ inFile = [] }, at) =>
    inFile
      .filter(({ isNamed }) => isNamed?.(at) ?? true)
      .map(({ word, key, usage = '' }) => word ?? `{${key}: ${usage.toUpperCase()}}`),
  );
}

/** The options of the gate's own command that answer it: `--reject REASON`. */
export function answerFlags(asks: Asked): readonly string[] {
  return mapRows(asks, ({ flag }, at) => (flag === undefined ? [] : [flag(at)]));
}

/** An entry of a decisions file, as the schema leaves it. */
export type FileEntry = string | Readonly<Record<string, unknown>>;

/** The answer that an entry gives, as its schema left it. */
export function givenIn<Answer>(gate: GateAsks['gate'], entry: FileEntry): Answer {
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
