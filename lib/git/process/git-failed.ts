import { FlameError, type FlameErrorInit } from '../../domain/flame-error.ts';

/** git itself did not do what it was asked. */
export function gitFailed(
  message: string,
  init: Pick<FlameErrorInit, 'details' | 'hints' | 'data' | 'cause'>,
): FlameError {
  return new FlameError({ ...init, kind: 'environment', code: 'git-failed', message });
}
