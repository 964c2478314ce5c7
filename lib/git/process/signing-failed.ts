import { FlameError, type FlameErrorInit } from '../../domain/flame-error.ts';

/** A signature that was asked for could not be made. `message` says what did not happen then. */
export function signingFailed(message: string, init: Pick<FlameErrorInit, 'details' | 'hints'>): FlameError {
  return new FlameError({ ...init, kind: 'refused', code: 'signing-failed', message });
}
