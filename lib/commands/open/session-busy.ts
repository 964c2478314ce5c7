import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../../domain/ids.ts';
import { parseIdentity, processState } from '../../util/process-identity.ts';

/** Whether a command works on a session at this moment, as far as this machine knows; see withSessionLock. */
export function isSessionBusy(commonDir: string, session: SessionId): boolean {
  const identity = parseIdentity(readOwner(join(commonDir, 'blueflame', 'locks', `${session}.lock`)));
  if (identity === null) return false;
  const state = processState(identity);
  return state === 'alive' || state === 'own';
}

function readOwner(lock: string): string {
  try {
    return readFileSync(join(lock, 'owner'), 'utf8').split('\n')[0] ?? '';
  } catch {
    return '';
  }
}
