import type { AgentAsked, BaseQuestion, Gates, SessionQuestion } from '../../domain/ports/gates.ts';

/** Gates each of whose questions is asked by way of `wrap`. */
export function wrapGates(
  gates: Gates,
  wrap: <Question, Answer>(
    ask: (question: Question) => Promise<Answer>,
  ) => (question: Question) => Promise<Answer>,
): Gates {
  const { base, leftOver, question: asked } = gates;
  return {
    person: gates.person,
    isInteractive: gates.isInteractive,
    plan: wrap((question) => gates.plan(question)),
    validation: wrap((question) => gates.validation(question)),
    validatorFailed: wrap((question) => gates.validatorFailed(question)),
    changeset: wrap((question) => gates.changeset(question)),
    session: wrap((question) => gates.session(question)),
    budget: wrap((question) => gates.budget(question)),
    ...(leftOver === undefined ? {} : { leftOver: wrap((question: SessionQuestion) => leftOver(question)) }),
    ...(asked === undefined ? {} : { question: wrap((question: AgentAsked) => asked(question)) }),
    ...(base === undefined ? {} : { base: wrap((question: BaseQuestion) => base(question)) }),
  };
}
