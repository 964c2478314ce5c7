import { join } from 'node:path';
import { takeLock } from '../../util/owned-lock.ts';

// Of the process: callers in it wait here, in turn, instead of for each other's lock file.
let last: Promise<unknown> = Promise.resolve();
/** Those whose turn has not begun; whoever has the lock does their work too. */
const waiting = new Map<string, (() => Promise<void>)[]>();

/**
 * Runs `work` while no other caller, of this process or another, clears cells or adds worktrees. The work must be
 * short: a holder of whom nothing is known is taken for dead after five seconds.
 */
export function withCellLock<T>(commonDir: string, work: () => T | Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const turn = async (): Promise<void> => {
      try {
        resolve(await work());
      } catch (error) {
        reject(error);
      }
    };
    waiting.set(commonDir, [...(waiting.get(commonDir) ?? []), turn]);
    last = last
      .then(() => locked(commonDir))
      .catch((error: unknown) => {
        // Its turn may only come while the lock is held.
        waiting.set(
          commonDir,
          (waiting.get(commonDir) ?? []).filter((one) => one !== turn),
        );
        reject(error);
      });
  });
}

async function locked(commonDir: string): Promise<void> {
  if ((waiting.get(commonDir) ?? []).length === 0) return;
  const release = await takeLock(join(commonDir, 'blueflame', 'cells.lock'), {
    staleMs: 5_000,
    retries: { retries: 600, factor: 1.2, minTimeout: 5, maxTimeout: 100 },
  });
  const turns = waiting.get(commonDir) ?? [];
  waiting.delete(commonDir);
  try {
    for (const turn of turns) await turn();
  } finally {
    await release();
  }
}
