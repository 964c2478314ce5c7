import { FlameError } from '../../domain/flame-error.ts';
import type { AgentAsked, Gates, SessionQuestion } from '../../domain/ports/gates.ts';
import type { GateName } from './waits-for-person.ts';

/** What a gate that waits is about. */
export interface WaitingFacts {
  readonly gate: GateName;
  readonly task: string | null;
  readonly changeset: string | null;
}

/**
 * Gates that call `announce` before a person is asked, or found missing. The question is not kept waiting, nor is its
 * answer: with that the announcement is over. A command that finds nobody doesn't end before it was made.
 */
export function announcedGates(
  gates: Gates,
  announce: (facts: WaitingFacts, over: AbortSignal) => Promise<void>,
): Gates {
  const around = async <Answer>(
    { gate, task = null, changeset = null }: Partial<WaitingFacts> & Pick<WaitingFacts, 'gate'>,
    ask: () => Promise<Answer>,
  ): Promise<Answer> => {
    const over = new AbortController();
    const told = announce({ gate, task, changeset }, over.signal);
    // Whatever came of it is seen when it is waited for below.
    told.catch(() => undefined);
    try {
      const answer = await ask();
      over.abort();
      return answer;
    } catch (error) {
      // Only who finds nobody has to be sure that somebody hears of it.
      if (!(error instanceof FlameError) || error.kind !== 'waiting') over.abort();
      throw error;
    } finally {
      await told;
    }
  };
  const { base, leftOver, question: asked } = gates;
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
    ...(asked === undefined
      ? {}
      : {
          question: (question: AgentAsked) =>
            around({ gate: 'question', task: question.task }, () => asked(question)),
        }),
    // Asked at a terminal alone: a person is there.
    ...(base === undefined ? {} : { base }),
  };
}
