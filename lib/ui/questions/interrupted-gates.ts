import { FlameError } from '../../domain/flame-error.ts';
import { interrupted } from '../../domain/interrupted.ts';
import type { Gates } from '../../domain/ports/gates.ts';
import { wrapGates } from './wrap-gates.ts';

/** Gates that say at Ctrl-C what becomes of the question: `resume` is the command that asks it again. */
export function interruptedGates(gates: Gates, resume: string): Gates {
  return wrapGates(
    gates,
    (ask) => (question) => ask(question).catch((error) => Promise.reject(told(error, resume))),
  );
}

function told(error: unknown, resume: string): unknown {
  if (!(error instanceof FlameError) || error.code !== 'interrupted' || error.hints.length > 0) return error;
  const message = 'Interrupted. The question is still open; what was decided before is kept.';
  return interrupted(message, { hints: [resume], cause: error });
}
