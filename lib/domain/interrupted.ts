import { FlameError, type FlameErrorInit } from './flame-error.ts';

/** What a command ends with when the person stopped it. */
export function interrupted(
  message = 'Interrupted.',
  init: Pick<FlameErrorInit, 'details' | 'hints' | 'cause'> = {},
): FlameError {
  return new FlameError({ ...init, kind: 'interrupted', code: 'interrupted', message });
}
