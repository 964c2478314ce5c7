import { ledElsewhere, sameCommandThere } from '../../domain/meanwhile.ts';
import type { Io } from '../../domain/shown/command.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Opened } from '../open/open-workshop.ts';
import { withSessionLock } from '../open/with-session-lock.ts';
import { inLedSession } from './lead.ts';

/** Runs `work` under the session's lock; in a shared session the lead decides it at the remote, as all else. */
export function whereItIsLed(
  opened: Opened,
  io: Io,
  session: Session,
  work: (opened: Opened) => Promise<number>,
): Promise<number> {
  const { id, machines, state } = session;
  if (machines === undefined || state === 'ended') return withSessionLock(opened, id, () => work(opened));
  if (machines.lead !== opened.workshop.place) throw ledElsewhere(machines.lead, sameCommandThere);
  return inLedSession(opened, io, { session: id, remote: machines.remote }, work);
}
