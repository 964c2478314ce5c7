import type { SessionId } from '../../domain/ids.ts';
import { ledElsewhere } from '../../domain/meanwhile.ts';
import type { Io } from '../../domain/shown/io.ts';
import { nextClaim } from '../../domain/state/claim-number.ts';
import { sharedRoles } from '../../domain/state/machine.ts';
import type { Session } from '../../domain/state/session.ts';
import { record, viewSession } from '../../engine/record.ts';
import type { Workshop } from '../../engine/workshop.ts';
import type { Opened } from '../open/open-workshop.ts';
import { withSessionLock } from '../open/with-session-lock.ts';
import { withStart } from '../plan/find-plan.ts';
import { isMeant, type StartWish } from '../plan/start-wish.ts';
import { goOn, type Start } from '../waves/go-on.ts';
import { withSharing } from './open-shared.ts';

interface Lead {
  readonly wish: StartWish;
  /** As it was typed, '' where none was. */
  readonly remote: string;
  readonly takesOver: boolean;
}

/** `git flame run --remote`: the whole loop, with whatever machines join. */
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
        return goOn(shared, io, start);
      };
      return withStart(opened, wish, io, lead, { isShared: true });
    },
  );
}

/** Does something in a session that this clone leads, decided at its remote; no machine is told that it leads on. */
export function inLedSession(
  opened: Opened,
  io: Io,
  { session, remote }: { readonly session: SessionId; readonly remote: string },
  work: (opened: Opened) => Promise<number>,
): Promise<number> {
  return withSharing(
    opened,
    io,
    { name: remote, role: 'lead', roles: sharedRoles, budget: null },
    ({ inSession }) => {
      const shared = inSession(session);
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
 * Makes this machine the one that leads: it alone plans, merges and lands. Another one's lead passes on by a person's
 * word alone, since gates are a person's. Throws FlameError `led-elsewhere`.
 */
async function takeLead(
  workshop: Workshop,
  id: SessionId,
  { terms, takesOver }: { readonly terms: Terms; readonly takesOver: boolean },
): Promise<void> {
  const { machines } = (await viewSession(workshop, id)).session;
  if (machines !== undefined && machines.lead !== workshop.place && !takesOver)
    throw ledElsewhere(machines.lead);
  await record(workshop, id, ({ session }) => {
    const known = session.machines;
    const isOurs = known?.lead === workshop.place;
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
}
