import { builtDecision } from '../../core/admission/decisions.ts';
import { signedApproval, wordText } from '../../core/machines/machine-statement.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { nextClaim } from '../../domain/state/machine.ts';
import type { Session } from '../../domain/state/session.ts';
import { record, type SessionView, viewSession } from '../record.ts';
import type { Workshop } from '../run-context.ts';
import { mayHere, tendMachines, trustedMachines } from './supervise-machines.ts';

const lookAgainMs = 1_000;

type Merging = NonNullable<NonNullable<Session['machines']>['merging']>;

/** Whether this machine was handed the building of changesets, and still is trusted with it. */
export function holdsMerge(
  workshop: Pick<Workshop, 'sharing' | 'place'>,
  session: Pick<Session, 'machines'>,
): boolean {
  return session.machines?.merging?.machine === workshop.place && mayHere(workshop, session, 'merge');
}

/** Signs a changeset in the name of the machine that built it, where that joined. */
export function withBuilder(
  { sharing, place }: Pick<Workshop, 'sharing' | 'place'>,
  session: Session,
  changeset: Changeset,
): Changeset {
  const claim = session.machines?.merging?.claim;
  if (sharing?.role !== 'worker' || claim === undefined) return changeset;
  const said = { name: place, claim };
  const word = sharing.sign(wordText('merge', builtDecision(session, changeset), said));
  return { ...changeset, built_on: { ...said, ...word } };
}

/**
 * Has a machine build the changesets that is there and trusted with it, and waits until none is left to build. Where there
 * is no such machine, or it is gone or gives up, nothing else happened: who leads builds what is left.
 */
export async function handOutMerge(
  workshop: Workshop,
  id: SessionId,
  isDone: (view: SessionView) => boolean,
): Promise<void> {
  if (workshop.sharing?.role !== 'lead') return;
  await tendMachines(workshop, id);
  const chosen = trustedMachines(workshop, { id }, 'merge').find(({ state }) => state === 'live')?.machine;
  if (chosen === undefined || chosen === null || isDone(await viewSession(workshop, id))) return;
  const claim = await setMerging(workshop, id, (now) => ({ machine: chosen, claim: nextClaim(now?.claim) }));
  const message = `${chosen} builds the changesets.`;
  workshop.events.emit({ event: 'notice', level: 'info', message });
  const isThere = (): boolean =>
    trustedMachines(workshop, { id }, 'merge').some(({ machine }) => machine === chosen);
  for (;;) {
    await tendMachines(workshop, id);
    const { stored } = await viewSession(workshop, id);
    const isBuilding = stored.machines?.merging?.machine === chosen;
    if (!isBuilding || !isThere() || workshop.signal.aborted) break;
    await workshop.machine.sleep(lookAgainMs, workshop.signal);
  }
  // From here on what it still brings is past.
  await setMerging(workshop, id, (now) =>
    now?.machine === chosen && now.claim === claim ? { machine: null, claim: now.claim } : null,
  );
}

/** This machine is done with it, or can't. */
export async function giveBackMerge(workshop: Workshop, id: SessionId): Promise<void> {
  const { place } = workshop;
  await setMerging(workshop, id, (now) =>
    now?.machine === place ? { machine: null, claim: now.claim } : null,
  );
}

async function setMerging(
  workshop: Workshop,
  id: SessionId,
  choose: (now: Merging | undefined) => Merging | null,
): Promise<number | null> {
  let claim: number | null = null;
  await record(workshop, id, ({ session }) => {
    const { machines } = session;
    const merging = machines === undefined ? null : choose(machines.merging);
    claim = merging?.claim ?? null;
    if (machines === undefined || merging === null) return null;
    const who = merging.machine === null ? 'no longer handed out' : `handed to ${merging.machine}`;
    const subject = `session: merging is ${who}, claim ${merging.claim}`;
    return { session: { next: { ...session, machines: { ...machines, merging } }, subject } };
  });
  return claim;
}

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
