import { FlameError, type FlameErrorInit } from './flame-error.ts';

// Usage errors of more than one command: one constructor for each code.

/** An option doesn't take its value. */
export function badValue(message: string, init: Pick<FlameErrorInit, 'hints' | 'data'>): FlameError {
  return new FlameError({ ...init, kind: 'usage', code: 'bad-value', message });
}

/** Two options that exclude each other. */
export function contradiction(message: string, hints: readonly string[]): FlameError {
  return new FlameError({ kind: 'usage', code: 'contradiction', message, hints });
}

/** `--keep-work` beside nothing that goes back. */
export function nothingToKeep(message: string, hints: readonly string[]): FlameError {
  return new FlameError({ kind: 'usage', code: 'nothing-to-keep', message, hints });
}
