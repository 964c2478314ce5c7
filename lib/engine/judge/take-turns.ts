import { setImmediate as turn } from 'node:timers/promises';
import { stoppedUnjudged } from '../interrupted.ts';

/** Milliseconds for which nothing else is heard, a person's stop included. */
const longestPiece = 20;

/**
 * All that the parts hold, in their order; others have their turns in between. Rejects with `interrupted` soon after the
 * signal aborts.
 */
export async function takeTurns<T>(
  parts: Iterable<readonly T[]>,
  signal: AbortSignal | undefined,
): Promise<readonly T[]> {
  const all: T[] = [];
  let began = performance.now();
  for (const part of parts) {
    all.push(...part);
    if (performance.now() - began < longestPiece) continue;
    await turn();
    if (signal?.aborted === true) throw stoppedUnjudged();
    began = performance.now();
  }
  return all;
}
