import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { SessionId } from '../../domain/ids.ts';
import { lockHolder, takeLock } from '../../util/owned-lock.ts';
import { processState } from '../../util/process-identity.ts';

const pauseMs = 20;

/** Takes a lock that all processes of this clone know by its name; null: another one has it. */
export async function tryLock(commonDir: string, name: string): Promise<(() => Promise<void>) | null> {
  return takeLock(fileOf(commonDir, name), { staleMs: 10_000 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ELOCKED') throw error;
    return null;
  });
}

interface LockWish {
  readonly commonDir: string;
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
  for (;;) {
    signal.throwIfAborted();
    const release = await tryLock(commonDir, name);
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

/** Whether a command works on a session at this moment, as far as this machine knows; see withSessionLock. */
export function isSessionBusy(commonDir: string, session: SessionId): boolean {
  const holder = lockHolder(fileOf(commonDir, session));
  return holder !== null && ['alive', 'own'].includes(processState(holder));
}

function fileOf(commonDir: string, name: string): string {
  return join(commonDir, 'blueflame', 'locks', `${name}.lock`);
}
