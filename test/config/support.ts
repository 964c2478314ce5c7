import { FlameError } from '../../lib/domain/flame-error.ts';

/** The error a call throws, as a person reads it: message, then details. */
export function errorText(call: () => unknown): string {
  const error = errorOf(call);
  return [error.message, ...error.lines].join('\n');
}

/** The FlameError a call throws; fails if it throws none. */
export function errorOf(call: () => unknown): FlameError {
  try {
    call();
  } catch (error) {
    if (error instanceof FlameError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Lines without their common margin: how the expected texts are written in the tests. */
export function lines(text: string): string {
  const all = text.replace(/^\n/, '').trimEnd().split('\n');
  const margin = Math.min(...all.filter((line) => line !== '').map((line) => line.search(/\S/)));
  return all.map((line) => line.slice(margin)).join('\n');
}
