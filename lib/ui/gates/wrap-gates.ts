import type { BaseQuestion, Gates } from '../../domain/ports/gates.ts';

/** Gates each of whose questions is asked by way of `wrap`. */
export function wrapGates(
  gates: Gates,
  wrap: <Question, Answer>(
    ask: (question: Question) => Promise<Answer>,
  ) => (question: Question) => Promise<Answer>,
): Gates {
  const { base } = gates;
  return {
    person: gates.person,
    isInteractive: gates.isInteractive,
    plan: wrap((question) => gates.plan(question)),
    validation: wrap((question) => gates.validation(question)),
    validatorFailed: wrap((question) => gates.validatorFailed(question)),
    changeset: wrap((question) => gates.changeset(question)),
    session: wrap((question) => gates.session(question)),
    budget: wrap((question) => gates.budget(question)),
    ...(base === undefined ? {} : { base: wrap((question: BaseQuestion) => base(question)) }),
  };
}
