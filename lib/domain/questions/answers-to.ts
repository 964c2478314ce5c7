import { unreachable } from '../../util/unreachable.ts';
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
} as const satisfies { readonly [Gate in GateAsks['gate']]: readonly AnswerRow<never>[] };

/** What the answers of a question depend on. */
export type Asked = Exclude<GateAsks, { readonly gate: 'changesets' }> | ChangesetFacts;

/** The answers that a question offers, the usual one first. */
export function answersTo(asks: Asked): readonly Answer[] {
  return mapRows(asks, offered);
}

/** What was decided, in a few words: `approved`, `rejected: too early`. */
export function doneWords(gate: GateAsks['gate'], given: Given): string {
  const rows: readonly Pick<AnswerRow<never>, 'word' | 'done'>[] = answerTable[gate];
  const done = rows.find(({ word }) => word === given.kind)?.done ?? given.kind;
  return typeof done === 'string' ? done : done(given);
}

/** The answers of a question's rows that are offered, as `resolve` makes them of each row. */
export function mapRows<Resolved>(asks: Asked, resolve: Resolve<Resolved>): readonly Resolved[] {
  switch (asks.gate) {
    case 'plan':
      return resolveAll(planAnswers, asks, resolve);
    case 'validation':
      return resolveAll(validationAnswers, asks, resolve);
    case 'validator_failed':
      return resolveAll(validatorAnswers, asks, resolve);
    case 'changesets':
      return resolveAll(changesetAnswers, asks, resolve);
    case 'session':
      return resolveAll(sessionAnswers, asks, resolve);
    case 'budget':
      return resolveAll(budgetAnswers, asks, resolve);
    case 'base':
      return resolveAll(baseAnswers, asks, resolve);
    case 'question':
      return resolveAll(agentAnswers, asks, resolve);
    default:
      return unreachable(asks);
  }
}

type Resolve<Resolved> = <Asks>(row: AnswerRow<Asks>, asks: Asks) => readonly Resolved[];

function resolveAll<Asks, Resolved>(
  rows: readonly AnswerRow<Asks>[],
  asks: Asks,
  resolve: Resolve<Resolved>,
): readonly Resolved[] {
  return rows.filter(({ isOffered }) => isOffered?.(asks) ?? true).flatMap((row) => resolve(row, asks));
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
