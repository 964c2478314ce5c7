import type { Gates } from '../../domain/gates.ts';

/** Gates during whose questions somebody else leaves the terminal alone. */
export function pausedGates(gates: Gates, pause: () => () => void): Gates {
  const during =
    <Question, Answer>(ask: (question: Question) => Promise<Answer>) =>
    async (question: Question): Promise<Answer> => {
      const goOn = pause();
      try {
        return await ask(question);
      } finally {
        goOn();
      }
    };
  return {
    person: gates.person,
    isInteractive: gates.isInteractive,
    plan: during((question) => gates.plan(question)),
    validation: during((question) => gates.validation(question)),
    validatorFailed: during((question) => gates.validatorFailed(question)),
    changeset: during((question) => gates.changeset(question)),
    session: during((question) => gates.session(question)),
    budget: during((question) => gates.budget(question)),
  };
}
