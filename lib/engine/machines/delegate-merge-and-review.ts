import { toChangesetBuiltDecision } from '../../core/admission/make-decisions.ts';
import { renderTextToSign, toApprovalToSign } from '../../core/machines/machine-statement.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { nextClaimNumber } from '../../domain/state/machine-schemas.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { decideAndRecord, type SessionView, viewSession } from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';
import { listMachinesTrustedInRole, mayMachineActInRole, superviseMachines } from './supervise-machines.ts';

const lookAgainMs = 1_000;

type Merging = NonNullable<NonNullable<Session['machines']>['merging']>;

/** Whether this machine was handed the building of changesets, and still is trusted with it. */
export function isMergeDelegatedToUs(
  context: Pick<RunContext, 'remoteSession' | 'place'>,
  session: Pick<Session, 'machines'>,
): boolean {
  return session.machines?.merging?.machine === context.place && mayMachineActInRole(context, session, 'merge');
}

/** Signs a changeset in the name of the machine that built it, where that joined. */
export function signAsBuilder(
  { remoteSession, place }: Pick<RunContext, 'remoteSession' | 'place'>,
  session: Session,
  changeset: Changeset,
): Changeset {
  const claim = session.machines?.merging?.claim;
  if (remoteSession?.role !== 'worker' || claim === undefined) return changeset;
  const said = { name: place, claim };
  const word = remoteSession.sign(renderTextToSign('merge', toChangesetBuiltDecision(session, changeset), said));
  return { ...changeset, built_on: { ...said, ...word } };
}

/**
 * Has a machine build the changesets that is there and trusted with it, and waits until none is left to build. Where there
 * is no such machine, or it is gone or gives up, nothing else happened: who leads builds what is left.
 */
export async function delegateMergeToMachine(
  context: RunContext,
  id: SessionId,
  isDone: (view: SessionView) => boolean,
): Promise<void> {
  if (context.remoteSession?.role !== 'lead') return;
  await superviseMachines(context, id);
  const chosen = listMachinesTrustedInRole(context, { id }, 'merge').find(({ state }) => state === 'live')?.machine;
  if (chosen === undefined || chosen === null || isDone(await viewSession(context, id))) return;
  const claim = await setMerging(context, id, (now) => ({
    machine: chosen,
    claim: nextClaimNumber(now?.claim),
  }));
  const message = `${chosen} builds the changesets.`;
  context.events.emit({ event: 'notice', level: 'info', message });
  const isThere = (): boolean =>
    listMachinesTrustedInRole(context, { id }, 'merge').some(({ machine }) => machine === chosen);
  for (;;) {
    await superviseMachines(context, id);
    const { stored } = await viewSession(context, id);
    const isBuilding = stored.machines?.merging?.machine === chosen;
    if (!isBuilding || !isThere() || context.signal.aborted) break;
    await context.machine.sleep(lookAgainMs, context.signal);
  }
  // From here on what it still brings is past.
  await setMerging(context, id, (now) =>
    now?.machine === chosen && now.claim === claim ? { machine: null, claim: now.claim } : null,
  );
}

/** This machine is done with it, or can't. */
export async function giveBackDelegatedMerge(context: RunContext, id: SessionId): Promise<void> {
  const { place } = context;
  await setMerging(context, id, (now) => (now?.machine === place ? { machine: null, claim: now.claim } : null));
}

async function setMerging(
  context: RunContext,
  id: SessionId,
  choose: (now: Merging | undefined) => Merging | null,
): Promise<number | null> {
  let claim: number | null = null;
  await decideAndRecord(context, id, ({ session }) => {
    const { machines } = session;
    const merging = machines === undefined ? null : choose(machines.merging);
    claim = merging?.claim ?? null;
    if (machines === undefined || merging === null) return null;
    const who = merging.machine === null ? 'no longer assigned' : `assigned to ${merging.machine}`;
    const subject = `session: merging is ${who}, claim ${merging.claim}`;
    return { session: { next: { ...session, machines: { ...machines, merging } }, subject } };
  });
  return claim;
}

/** A session whose changeset was approved on this machine, with that machine's word for it, where it joined. */
export function signAsReviewer(
  { remoteSession, place }: Pick<RunContext, 'remoteSession' | 'place'>,
  session: Session,
  id: string,
): Session {
  if (remoteSession?.role !== 'worker') return session;
  // Under another lead it is asked again.
  const said = { name: place, claim: session.machines?.term ?? 1 };
  const changesets = session.changesets.map((changeset) => {
    if (changeset.id !== id) return changeset;
    const word = remoteSession.sign(renderTextToSign('review', toApprovalToSign(session, changeset), said));
    return { ...changeset, approved_on: { ...said, ...word } };
  });
  return { ...session, changesets };
}

/**
 * Waits for the person of a machine that is there and trusted with reviews to decide a changeset; false: there is none, or no
 * more, and it still waits.
 */
export async function waitForDecisionElsewhere(
  context: RunContext,
  session: SessionId,
  changeset: string,
): Promise<boolean> {
  if (context.remoteSession?.role !== 'lead') return false;
  for (let isSaid = false; !context.signal.aborted; ) {
    await superviseMachines(context, session);
    const now = (await viewSession(context, session)).session.changesets.find(({ id }) => id === changeset);
    if (now?.state !== 'waiting') return true;
    const there = listMachinesTrustedInRole(context, { id: session }, 'review');
    if (there.length === 0) return false;
    const message = `Changeset ${now.group} waits for a decision on ${there.map(({ machine }) => machine).join(', ')}.`;
    if (!isSaid) context.events.emit({ event: 'notice', level: 'info', message });
    isSaid = true;
    await context.machine.sleep(lookAgainMs, context.signal);
  }
  return false;
}
