import type { Gates } from '../../domain/ports/gates.ts';
import { wrapGates } from '../../ui/gates/wrap-gates.ts';

/** Gates whose questions wait for each other: several validators may need a person at once. */
export function oneAtATime(gates: Gates): Gates {
  let last: Promise<unknown> = Promise.resolve();
  return wrapGates(gates, (ask) => (question) => {
    const answer = last.then(() => ask(question));
    last = answer.catch(() => undefined);
    return answer;
  });
}
