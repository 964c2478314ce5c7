import type { Gates } from '../../domain/ports/gates.ts';
import { changesetFacts } from './about-changeset.ts';
import { sessionAsks } from './about-run.ts';
import {
  type WaitingGate,
  waitingBudget,
  waitingChangeset,
  waitingPlan,
  waitingSession,
  waitingValidation,
  waitingValidator,
  waitsForPerson,
} from './waits-for-person.ts';

/**
 * Gates without a person: each throws the FlameError `waits-for-person` with the commands to continue with.
 */
export function createNoGates(options: { readonly person: string; readonly resume: string }): Gates {
  const { person, resume } = options;
  const wait = (waiting: WaitingGate): Promise<never> => Promise.reject(waitsForPerson(waiting, resume));
  return {
    person,
    isInteractive: false,
    plan: (question) => wait(waitingPlan(question)),
    validation: (question) => wait(waitingValidation(question)),
    validatorFailed: (question) => wait(waitingValidator(question)),
    changeset: async (question) => {
      const { id } = question.changeset;
      const onTop = (await question.onTop?.(id)) ?? [];
      const excluding = (await question.excluding?.(id)) ?? [];
      return wait(waitingChangeset(question, await changesetFacts(question), { onTop, excluding }));
    },
    session: (question) => wait(waitingSession(sessionAsks(question))),
    budget: (question) => wait(waitingBudget(question)),
  };
}
