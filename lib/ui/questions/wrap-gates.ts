import type { AgentAsked, BaseQuestion, Gates, SessionQuestion } from '../../domain/ports/gates.ts';

/** Wraps how a question is asked at a gate. */
export type WrapGate = <Question, Answer>(
  ask: (question: Question) => Promise<Answer>,
  gate:
    | 'plan'
    | 'validation'
    | 'validator_failed'
    | 'changesets'
    | 'session'
    | 'budget'
    | 'question'
    | 'base',
) => (question: Question) => Promise<Answer>;

/** Gates each of whose questions is asked by way of `wrap`. */
export function wrapGates(gates: Gates, wrap: WrapGate): Gates {
  const { base, leftOver, question: asked } = gates;
  return {
    person: gates.person,
    isInteractive: gates.isInteractive,
    plan: wrap((question) => gates.plan(question), 'plan'),
    validation: wrap((question) => gates.validation(question), 'validation'),
    validatorFailed: wrap((question) => gates.validatorFailed(question), 'validator_failed'),
    changeset: wrap((question) => gates.changeset(question), 'changesets'),
    session: wrap((question) => gates.session(question), 'session'),
    budget: wrap((question) => gates.budget(question), 'budget'),
    ...(leftOver === undefined
      ? {}
      : { leftOver: wrap((question: SessionQuestion) => leftOver(question), 'session') }),
    ...(asked === undefined ? {} : { question: wrap((question: AgentAsked) => asked(question), 'question') }),
    ...(base === undefined ? {} : { base: wrap((question: BaseQuestion) => base(question), 'base') }),
  };
}
