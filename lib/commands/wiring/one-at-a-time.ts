import type { Gates } from '../../domain/gates.ts';

/** Gates whose questions wait for each other: several validators may need a person at once. */
export function oneAtATime(gates: Gates): Gates {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Question, Answer>(
    ask: (question: Question) => Promise<Answer>,
  ): ((question: Question) => Promise<Answer>) => {
    return (question) => {
      const answer = last.then(() => ask(question));
      last = answer.catch(() => undefined);
      return answer;
    };
  };
  return {
    person: gates.person,
    isInteractive: gates.isInteractive,
    plan: inTurn((question) => gates.plan(question)),
    validation: inTurn((question) => gates.validation(question)),
    validatorFailed: inTurn((question) => gates.validatorFailed(question)),
    changeset: inTurn((question) => gates.changeset(question)),
    session: inTurn((question) => gates.session(question)),
    budget: inTurn((question) => gates.budget(question)),
  };
}
