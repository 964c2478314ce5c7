import type { Answer, AnswerRow, Given } from './answer-row.ts';
import { type ChangesetFacts, changesetAnswers } from './changeset-answers.ts';
import type { GateAsks } from './gate.ts';
import { agentAnswers, baseAnswers, budgetAnswers, planAnswers, sessionAnswers } from './run-answers.ts';
import { validationAnswers, validatorAnswers } from './validation-answers.ts';

/** The table of all answers, by the kind of question. */
export const answerTable = {
  plan: planAnswers,
  validation: validationAnswers,
  validator_failed: validatorAnswers,
  changesets: changesetAnswers,
  session: sessionAnswers,
  budget: budgetAnswers,
  base: baseAnswers,
  question: agentAnswers,
} as const satisfies {
  readonly [Gate in Asked['gate']]: readonly AnswerRow<Extract<Asked, { gate: Gate }>>[];
};

/** Facts that the answers of a question depend on. */
export type Asked = Exclude<GateAsks, { readonly gate: 'changesets' }> | ChangesetFacts;

/** The answers that a question offers, the usual one first. */
export function answersTo(asks: Asked): readonly Answer[] {
  return mapRows(asks, offered);
}

/** The decision in a few words: `approved`, `rejected: too early`. */
export function doneWords(gate: GateAsks['gate'], given: Given): string {
  const rows: readonly Pick<AnswerRow<never>, 'word' | 'done'>[] = answerTable[gate];
  const done = rows.find(({ word }) => word === given.kind)?.done ?? given.kind;
  return typeof done === 'string' ? done : done(given);
}

/** The rows of a question's answers that are offered, as `resolve` makes answers of each. */
export function mapRows<Resolved>(
  asks: Asked,
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

export function meansOf<Asks>({ means }: Pick<AnswerRow<Asks>, 'means'>, asks: Asks): string {
  return typeof means === 'string' ? means : means(asks);
}
