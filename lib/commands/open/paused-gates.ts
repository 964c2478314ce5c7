import type { Gates } from '../../domain/ports/gates.ts';
import { wrapGates } from '../../ui/gates/wrap-gates.ts';

/** Gates during whose questions the live view leaves the terminal alone. */
export function pausedGates(gates: Gates, pause: () => () => void): Gates {
  return wrapGates(gates, (ask) => async (question) => {
    const goOn = pause();
    try {
      return await ask(question);
    } finally {
      goOn();
    }
  });
}
