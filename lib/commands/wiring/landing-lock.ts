import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { takeLock } from '../../util/owned-lock.ts';

const pauseMs = 20;

/**
 * Does `work` while no other process of this clone lands: two sessions would each take what the other is just bringing
 * into a checked-out base for the person's local changes. Waits as long as the other one takes; rejects with the
 * signal's reason when the person stops the program meanwhile.
 */
export async function withLandingLock<T>(
  commonDir: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const path = join(commonDir, 'blueflame', 'locks', 'landing.lock');
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
