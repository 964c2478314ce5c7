import { FlameError, type FlameErrorInit } from './flame-error.ts';

/** The error of a command that the person stopped. */
export function interrupted(
  message = 'Interrupted.',
  init: Pick<FlameErrorInit, 'details' | 'hints' | 'cause'> = {},
): FlameError {
  return new FlameError({ ...init, kind: 'interrupted', code: 'interrupted', message });
}
