import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cellsFolder } from './cell-paths.ts';

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `work` while no other caller, of this process or another, makes or clears cells. The work must be
 * short: a dead holder's lock is taken over after five seconds.
 */
export function withCellLock<T>(commonDir: string, work: () => T | Promise<T>): Promise<T> {
  const mine = last.then(() => locked(commonDir, work));
  last = mine.catch(() => undefined);
  return mine;
}

async function locked<T>(commonDir: string, work: () => T | Promise<T>): Promise<T> {
  const { lock } = await import('../util/lockfile.ts');
  const folder = cellsFolder(commonDir);
  mkdirSync(folder, { recursive: true });
  const release = await lock(folder, {
    lockfilePath: join(commonDir, 'blueflame', 'cells.lock'),
    stale: 5_000,
    retries: { retries: 600, factor: 1.2, minTimeout: 5, maxTimeout: 100 },
    // What happens under the lock is safe without it too, only less tidy; the default would end the process.
    onCompromised: () => undefined,
  });
  try {
    return await work();
  } finally {
    await release().catch(() => undefined);
  }
}
