import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import { lock } from '../../util/lockfile.ts';

/**
 * Keeps two commands from working on one session at once, for the time of `work`. Compare-and-swap would keep the
 * state right all the same; this keeps them from doing the same work twice.
 */
export async function withSessionLock<T>(
  commonDir: string,
  session: SessionId,
  work: () => Promise<T>,
): Promise<T> {
  const folder = join(commonDir, 'blueflame', 'locks');
  await mkdir(folder, { recursive: true });
  const file = join(folder, session);
  // A lock that was lost (a suspended machine) is no reason to die: the state is guarded by compare-and-swap.
  const release = await lock(file, { realpath: false, onCompromised: () => undefined }).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === 'ELOCKED' ? busy(session) : error;
    },
  );
  try {
    return await work();
  } finally {
    await release().catch(() => undefined);
  }
}

function busy(session: SessionId): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'session-busy',
    message: `Another git flame command is working on session ${session}.`,
    hints: ['git flame status', 'If it was killed, try again in ten seconds: git flame run'],
  });
}
