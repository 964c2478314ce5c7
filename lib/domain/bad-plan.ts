import { FlameError, type FlameErrorInit } from './flame-error.ts';

// Errors of plans: one constructor for each code. `details` names the mistakes.

export function badPlan(
  message: string,
  init: Pick<FlameErrorInit, 'details' | 'hints' | 'hintsFor' | 'data'> & {
    readonly kind?: 'refused' | 'environment';
  },
): FlameError {
  return new FlameError({ kind: 'refused', ...init, code: 'bad-plan', message });
}

export function badTask(message: string, details: readonly string[], hint: string): FlameError {
  return new FlameError({ kind: 'refused', code: 'bad-task', message, details, hints: [hint] });
}
