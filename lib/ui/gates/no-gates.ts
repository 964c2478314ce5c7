import type { Gates } from '../../domain/ports/gates.ts';
import { isRed } from '../../domain/state/is-red.ts';
import { visibleText } from '../text/visible-text.ts';
import {
  waitingChangeset,
  waitingGates,
  waitingPlan,
  waitingValidation,
  waitingValidator,
  waitsForPerson,
} from './waits-for-person.ts';

/**
 * Gates without a person: each throws the FlameError `waits-for-person` with the commands to continue with.
 */
export function createNoGates(options: { readonly person: string; readonly resume: string }): Gates {
  const { person, resume } = options;
  return {
    person,
    isInteractive: false,
    plan: async (question) => {
      throw waitsForPerson(waitingPlan(question), resume);
    },
    validation: async ({ task, verdict }) => {
      // Of a failing check, they end in what it printed.
      const details = verdict.issues.map(visibleText);
      throw waitsForPerson({ ...waitingValidation(task.id), details }, resume);
    },
    validatorFailed: async (question) => {
      throw waitsForPerson(waitingValidator(question), resume);
    },
    changeset: async (question) => {
      const { changeset } = question;
      const onTop = (await question.onTop?.(changeset.id)) ?? [];
      const excluding = (await question.excluding?.(changeset.id)) ?? [];
      throw waitsForPerson(waitingChangeset(question, isRed(changeset), { onTop, excluding }), resume);
    },
    session: async () => {
      throw waitsForPerson(waitingGates.session, resume);
    },
    budget: async () => {
      throw waitsForPerson(waitingGates.budget, resume);
    },
  };
}
