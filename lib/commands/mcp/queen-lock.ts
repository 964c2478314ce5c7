import { join } from 'node:path';
import type { SessionId } from '../../domain/ids.ts';
import { refusal } from '../../engine/queen/refusals.ts';
import { takeLock } from '../../util/owned-lock.ts';

/** Who leads a session, of all processes of this clone. */
export interface QueenLock {
  /** Takes the lead of a session, once. Throws FlameError `queen-busy` where another model has it. */
  take(session: SessionId): Promise<void>;
  release(): Promise<void>;
}

/** One model leads a session at a time: two would send back what the other approves. A dead one holds nothing. */
export function openQueenLock(commonDir: string): QueenLock {
  let held: { readonly session: SessionId; release(): Promise<void> } | null = null;
  const release = async (): Promise<void> => {
    const before = held;
    held = null;
    await before?.release();
  };
  return {
    take: async (session) => {
      if (held?.session === session) return;
      await release();
      const path = join(commonDir, 'blueflame', 'locks', `${session}.queen.lock`);
      const free = await takeLock(path, { staleMs: 10_000 }).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ELOCKED' ? busy(session) : error;
      });
      held = { session, release: free };
    },
    release,
  };
}

function busy(session: SessionId) {
  return refusal({
    code: 'queen-busy',
    message: `Another chat, or git flame run --queen, leads session ${session}.`,
    next: 'Look with get_status; to lead here, the other one has to end first: ask the project lead',
  });
}
