import { FlameError } from '../../domain/flame-error.ts';
import type { AskedAgentQuestions, FailingBaseQuestion, Gates, SessionQuestion } from '../../domain/ports/gates.ts';
import type { DecisionsFileGate } from './waits-for-person-error.ts';

/** Wraps how a question is asked at a gate. */
export type WrapGate = <Question, Answer>(
  ask: (question: Question) => Promise<Answer>,
  gate: 'plan' | 'validation' | 'validator_failed' | 'changesets' | 'session' | 'budget' | 'question' | 'base',
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
    ...(leftOver === undefined ? {} : { leftOver: wrap((question: SessionQuestion) => leftOver(question), 'session') }),
    ...(asked === undefined ? {} : { question: wrap((question: AskedAgentQuestions) => asked(question), 'question') }),
    ...(base === undefined ? {} : { base: wrap((question: FailingBaseQuestion) => base(question), 'base') }),
  };
}

/**
 * Gates whose questions wait for each other: several validators may need a person at once. Questions of agents come
 * after all others; their time runs from their turn on, and those withdrawn before are never asked.
 */
export function askOneAtATime(gates: Gates): Gates {
  const first: (() => Promise<void>)[] = [];
  const last: (() => Promise<void>)[] = [];
  let isBusy = false;
  const goOn = (): void => {
    const next = isBusy ? undefined : (first.shift() ?? last.shift());
    if (next === undefined) return;
    isBusy = true;
    void next().finally(() => {
      isBusy = false;
      goOn();
    });
  };
  const inTurn = <Answer>(queue: (() => Promise<void>)[], ask: () => Promise<Answer>): Promise<Answer> =>
    new Promise((resolve, reject) => {
      queue.push(async () => {
        // A gate may throw before it has a promise to give.
        await Promise.resolve().then(ask).then(resolve, reject);
      });
      goOn();
    });
  const { question: asked } = gates;
  return {
    ...wrapGates(gates, (ask) => (question) => inTurn(first, () => ask(question))),
    ...(asked === undefined
      ? {}
      : {
          question: (question: AskedAgentQuestions) =>
            inTurn(last, () => {
              question.withdrawn.throwIfAborted();
              return asked({ ...question, until: question.laid?.() ?? question.until });
            }),
        }),
  };
}

/** Subject of a gate that waits. */
export interface GateAnnouncement {
  readonly gate: DecisionsFileGate;
  readonly task: string | null;
  readonly changeset: string | null;
}

/**
 * Gates that call `announce` before a person is asked, or found missing. The question is not kept waiting, nor is its
 * answer: with that the announcement is over. A command that finds no person doesn't end before it was made.
 */
export function announceWaitingGates(
  gates: Gates,
  announce: (facts: GateAnnouncement, over: AbortSignal) => Promise<void>,
): Gates {
  return wrapGates(gates, (ask, gate) => async (question) => {
    // Asked at a terminal alone: a person is there.
    if (gate === 'base') return ask(question);
    const over = new AbortController();
    const announced = announce({ gate, ...subjectOf(question) }, over.signal);
    // Its error is seen where it is awaited below.
    announced.catch(() => undefined);
    try {
      const answer = await ask(question);
      over.abort();
      return answer;
    } catch (error) {
      // A run that ends for want of a person makes sure that the person hears of it.
      if (!(error instanceof FlameError) || error.kind !== 'waiting') over.abort();
      throw error;
    } finally {
      await announced;
    }
  });
}

/** The task or changeset that a question is about. */
function subjectOf(question: unknown): Pick<GateAnnouncement, 'task' | 'changeset'> {
  const { task = null, changeset = null } = question as {
    readonly task?: string | { readonly id: string } | null;
    readonly changeset?: { readonly group: string };
  };
  return {
    task: typeof task === 'object' ? (task?.id ?? null) : task,
    changeset: changeset?.group ?? null,
  };
}
