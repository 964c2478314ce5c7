import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { takeLock } from '../../util/owned-lock.ts';

const pauseMs = 20;

interface LockWish {
  readonly commonDir: string;
  /** Name of the lock: processes that take the same one do their work in turn. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/**
 * Does `work` while no other process of this clone holds the lock. Waits as long as the other one takes; rejects with
 * the signal's reason when the person stops the program meanwhile.
 */
export async function waitForLock<T>(
  { commonDir, name, signal }: LockWish,
  work: () => Promise<T>,
): Promise<T> {
  const path = join(commonDir, 'blueflame', 'locks', `${name}.lock`);
  for (;;) {
    signal.throwIfAborted();
    const release = await takeLock(path, { staleMs: 10_000 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ELOCKED') throw error;
      return null;
    });
    if (release === null) {
      await wait(pauseMs);
      continue;
    }
    try {
      return await work();
    } finally {
      await release();
    }
  }
}
