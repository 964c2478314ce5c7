import { ledElsewhere, sameCommandThere } from '../../domain/concurrency-errors.ts';
import type { SessionId } from '../../domain/ids.ts';
import { nextClaim, sharedRoles } from '../../domain/state/machine.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { stepDown } from '../../engine/machines/lost-claims.ts';
import { recordOwn, viewSession } from '../../engine/record.ts';
import type { Workshop } from '../../engine/run-context.ts';
import { withSessionLock } from '../context/session-lock.ts';
import { withStart } from '../plan/find-plan.ts';
import { isMeant, type StartWish } from '../plan/start-request.ts';
import type { Opened } from '../run-context/open-workshop.ts';
import { goOn, type Start } from '../run-loop/continue-session.ts';
import { withSharing } from './open-shared.ts';

interface Lead {
  readonly wish: StartWish;
  /** As it was typed, '' where none was. */
  readonly remote: string;
  readonly takesOver: boolean;
}

/** `git flame run --remote`: the whole loop, with any machines that join. */
export function leadSession(opened: Opened, io: Io, { wish, remote, takesOver }: Lead): Promise<number> {
  return withSharing(
    opened,
    io,
    { name: remote, role: 'lead', roles: sharedRoles, budget: null },
    ({ sharing, inSession }) => {
      const lead = async (start: Start): Promise<number> => {
        const shared = inSession(start.session);
        const { lease, renew } = opened.config.machines;
        const terms = { remote: sharing.remote, lease_ms: lease, renew_ms: renew };
        await takeLead(shared.workshop, start.session, { terms, takesOver });
        sharing.enter(start.session, { leaseMs: lease, renewMs: renew });
        try {
          return await goOn(shared, io, start);
        } catch (error) {
          throw await stepDown(shared.workshop, start.session, error);
        }
      };
      return withStart(opened, wish, io, lead, { isShared: true });
    },
  );
}

/** Runs `work` in a session that this clone leads, decided at its remote; it sends no heartbeat. */
function inLedSession(
  opened: Opened,
  io: Io,
  { session, remote }: { readonly session: SessionId; readonly remote: string },
  work: (opened: Opened) => Promise<number>,
): Promise<number> {
  return withSharing(
    opened,
    io,
    { name: remote, role: 'lead', roles: sharedRoles, budget: null },
    async ({ inSession }) => {
      const shared = inSession(session);
      const { machines } = (await viewSession(shared.workshop, session)).session;
      if (machines !== undefined && machines.lead !== shared.workshop.place)
        throw ledElsewhere(machines.lead, sameCommandThere);
      return withSessionLock(shared, session, () => work(shared), { isShared: true });
    },
  );
}

/** The remote that this clone leads the session through which is meant; null: none. */
export async function ledThrough(
  { workshop, store, meant }: Opened,
  wish: StartWish,
): Promise<string | null> {
  const session = meant.pick(await store.snapshot());
  if (session?.machines === undefined || session.state === 'ended' || !isMeant(session, wish)) return null;
  return session.machines.lead === workshop.place ? session.machines.remote : null;
}

type Terms = Omit<NonNullable<Session['machines']>, 'lead' | 'term'>;

/**
 * Makes this machine the lead: it alone plans, merges and lands. Another machine's lead passes on only by a person's
 * decision, since gates are a person's. Throws FlameError `led-elsewhere`.
 */
async function takeLead(
  workshop: Workshop,
  id: SessionId,
  { terms, takesOver }: { readonly terms: Terms; readonly takesOver: boolean },
): Promise<void> {
  const seen = takesOver ? (await viewSession(workshop, id)).session.machines : undefined;
  await recordOwn(workshop, id, ({ session }) => {
    const known = session.machines;
    const isOurs = known?.lead === workshop.place;
    // The person's decision is about the lead at that time.
    if (known !== undefined && !isOurs && known.term !== seen?.term) throw ledElsewhere(known.lead);
    const term = isOurs ? known.term : nextClaim(known?.term);
    const isSame =
      isOurs &&
      known.remote === terms.remote &&
      known.lease_ms === terms.lease_ms &&
      known.renew_ms === terms.renew_ms;
    if (isSame) return null;
    const next = { ...session, machines: { lead: workshop.place, ...terms, term } };
    return { session: { next, subject: `session: led by ${workshop.place}, term ${term}` } };
  });
  if (seen === undefined || seen.lead === workshop.place) return;
  const message = `This machine leads now, in the place of ${seen.lead}: what that decides counts no more, and what its agents hold is free once it hears of that, or has been silent for its lease.`;
  workshop.events.emit({ event: 'notice', level: 'info', message });
}

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
