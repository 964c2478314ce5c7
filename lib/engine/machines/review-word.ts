import { signedApproval, wordText } from '../../core/machines/machine-word.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Session } from '../../domain/state/session.ts';
import { viewSession } from '../record.ts';
import type { Workshop } from '../workshop.ts';
import { tendMachines } from './tend-machines.ts';
import { trustedMachines } from './trusted.ts';

const lookAgainMs = 1_000;

/** A session whose changeset was approved on this machine, with that machine's word for it, where it joined. */
export function withReviewer(
  { sharing, place }: Pick<Workshop, 'sharing' | 'place'>,
  session: Session,
  id: string,
): Session {
  if (sharing?.role !== 'worker') return session;
  // Under another lead it is asked again.
  const said = { name: place, claim: session.machines?.term ?? 1 };
  const changesets = session.changesets.map((changeset) => {
    if (changeset.id !== id) return changeset;
    const word = sharing.sign(wordText('review', signedApproval(session, changeset), said));
    return { ...changeset, approved_on: { ...said, ...word } };
  });
  return { ...session, changesets };
}

/**
 * Waits for the person of a machine that is there and trusted with reviews to decide a changeset; false: there is none, or no
 * more, and it still waits.
 */
export async function isDecidedElsewhere(
  workshop: Workshop,
  session: SessionId,
  changeset: string,
): Promise<boolean> {
  if (workshop.sharing?.role !== 'lead') return false;
  for (let isSaid = false; !workshop.signal.aborted; ) {
    await tendMachines(workshop, session);
    const now = (await viewSession(workshop, session)).session.changesets.find(({ id }) => id === changeset);
    if (now?.state !== 'waiting') return true;
    const there = trustedMachines(workshop, { id: session }, 'review');
    if (there.length === 0) return false;
    const message = `Changeset ${now.group} waits for a decision on ${there.map(({ machine }) => machine).join(', ')}.`;
    if (!isSaid) workshop.events.emit({ event: 'notice', level: 'info', message });
    isSaid = true;
    await workshop.machine.sleep(lookAgainMs, workshop.signal);
  }
  return false;
}
