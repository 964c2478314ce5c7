import type { AgentAsked, Gates } from '../../domain/ports/gates.ts';
import { wrapGates } from './wrap-gates.ts';

/**
 * Gates whose questions wait for each other: several validators may need a person at once. Questions of agents come
 * after all others; their time runs from their turn on, and those withdrawn before are never asked.
 */
export function oneAtATime(gates: Gates): Gates {
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
          question: (question: AgentAsked) =>
            inTurn(last, () => {
              question.withdrawn.throwIfAborted();
              return asked({ ...question, until: question.laid?.() ?? question.until });
            }),
        }),
  };
}
