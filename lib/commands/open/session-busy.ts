import { join } from 'node:path';
import type { SessionId } from '../../domain/ids.ts';
import { lockHolder } from '../../util/owned-lock.ts';
import { processState } from '../../util/process-identity.ts';

/** Whether a command works on a session at this moment, as far as this machine knows; see withSessionLock. */
export function isSessionBusy(commonDir: string, session: SessionId): boolean {
  const holder = lockHolder(join(commonDir, 'blueflame', 'locks', `${session}.lock`));
  return holder !== null && ['alive', 'own'].includes(processState(holder));
}
