import { FlameError, type FlameErrorInit } from '../domain/flame-error.ts';

/** A FlameError `bad-config`; `details` names the mistakes. */
export function badConfig(
  message: string,
  init: Pick<FlameErrorInit, 'details' | 'data' | 'hints'>,
): FlameError {
  return new FlameError({ ...init, kind: 'environment', code: 'bad-config', message });
}
