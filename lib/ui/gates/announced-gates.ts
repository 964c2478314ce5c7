import type { Gates, SessionQuestion } from '../../domain/ports/gates.ts';
import type { GateName } from './waits-for-person.ts';

/** What a gate that waits is about. */
export interface WaitingFacts {
  readonly gate: GateName;
  readonly task: string | null;
  readonly changeset: string | null;
}

/**
 * Gates that call `announce` before a person is asked, or found missing. The question is not kept waiting,
 * but a command doesn't end before the announcement did.
 */
export function announcedGates(gates: Gates, announce: (facts: WaitingFacts) => Promise<void>): Gates {
  const around = async <Answer>(
    { gate, task = null, changeset = null }: Partial<WaitingFacts> & Pick<WaitingFacts, 'gate'>,
    ask: () => Promise<Answer>,
  ): Promise<Answer> => {
    const told = announce({ gate, task, changeset });
    // Whatever came of it is seen when it is waited for below.
    told.catch(() => undefined);
    try {
      return await ask();
    } finally {
      await told;
    }
  };
  const { base, leftOver } = gates;
  return {
    person: gates.person,
    isInteractive: gates.isInteractive,
    plan: (question) => around({ gate: 'plan' }, () => gates.plan(question)),
    validation: (question) =>
      around({ gate: 'validation', task: question.task.id }, () => gates.validation(question)),
    validatorFailed: (question) =>
      around({ gate: 'validator_failed', task: question.task.id }, () => gates.validatorFailed(question)),
    changeset: (question) =>
      around({ gate: 'changesets', changeset: question.changeset.group }, () => gates.changeset(question)),
    session: (question) => around({ gate: 'session' }, () => gates.session(question)),
    budget: (question) => around({ gate: 'budget' }, () => gates.budget(question)),
    ...(leftOver === undefined
      ? {}
      : {
          leftOver: (question: SessionQuestion) => around({ gate: 'session' }, () => leftOver(question)),
        }),
    // Asked at a terminal alone: a person is there.
    ...(base === undefined ? {} : { base }),
  };
}
