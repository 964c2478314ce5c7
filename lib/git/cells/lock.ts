import { join } from 'node:path';
import { withLock } from '../../util/owned-lock.ts';

// Of the process: callers in it wait here, in turn, instead of for each other's lock file.
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `work` while no other caller, of this process or another, clears cells or adds worktrees. The work must be
 * short: a holder of whom nothing is known is taken for dead after five seconds.
 */
export function withCellLock<T>(commonDir: string, work: () => T | Promise<T>): Promise<T> {
  const options = { staleMs: 5_000, retries: { retries: 600, factor: 1.2, minTimeout: 5, maxTimeout: 100 } };
  const turn = last.then(() => withLock(join(commonDir, 'blueflame', 'cells.lock'), options, work));
  last = turn.catch(() => undefined);
  return turn;
}
