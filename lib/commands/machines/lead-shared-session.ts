import { ledElsewhereError, sameCommandHint } from '../../domain/concurrency-errors.ts';
import type { SessionId } from '../../domain/ids.ts';
import { joinedMachineRoles, nextClaimNumber } from '../../domain/state/machine-schemas.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { handleLostLead } from '../../engine/machines/watch-agent-claims.ts';
import { recordUnderAnyLead, viewSession } from '../../engine/record-changes.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { withSessionLock } from '../context/session-lock.ts';
import { runFromStartRequest } from '../plan/run-from-start-request.ts';
import { type StartRequest, selectsOpenSession } from '../plan/start-request.ts';
import type { CommandContext } from '../run-context/open-run-context.ts';
import { continueSession, type SessionToContinue } from '../run-loop/continue-session.ts';
import { runInSharedSession } from './run-in-shared-session.ts';

interface Lead {
  readonly wish: StartRequest;
  /** As it was typed, '' where none was. */
  readonly remote: string;
  readonly takesOver: boolean;
}

/** `git flame run --remote`: the whole loop, with any machines that join. */
export function leadSharedSession(opened: CommandContext, io: Io, { wish, remote, takesOver }: Lead): Promise<number> {
  return runInSharedSession(opened, io, leadThrough(remote), ({ remoteSession, inSession }) => {
    const lead = async (start: SessionToContinue): Promise<number> => {
      const shared = inSession(start.session);
      const { lease, renew } = opened.config.machines;
      const terms = { remote: remoteSession.remote, lease_ms: lease, renew_ms: renew };
      await takeLead(shared.context, start.session, { terms, takesOver });
      remoteSession.enter(start.session, { leaseMs: lease, renewMs: renew });
      try {
        return await continueSession(shared, io, start);
      } catch (error) {
        throw await handleLostLead(shared.context, start.session, error);
      }
    };
    return runFromStartRequest(opened, wish, io, lead, { isShared: true });
  });
}

/** How this machine stands at a remote as the lead. */
function leadThrough(remote: string): Parameters<typeof runInSharedSession>[2] {
  return { name: remote, role: 'lead', roles: joinedMachineRoles, budget: null };
}

/** The remote that this clone leads the session through which is meant; null: none. */
export async function findRemoteLedThrough(
  { context, store, selected }: CommandContext,
  wish: StartRequest,
): Promise<string | null> {
  const session = selected.pick(await store.snapshot());
  if (session?.machines === undefined || session.state === 'ended' || !selectsOpenSession(session, wish)) return null;
  return session.machines.lead === context.place ? session.machines.remote : null;
}

type Terms = Omit<NonNullable<Session['machines']>, 'lead' | 'term'>;

/**
 * Makes this machine the lead: it alone plans, merges and lands. Another machine's lead passes on only by a person's
 * decision, since gates are a person's. Throws FlameError `led-elsewhere`.
 */
async function takeLead(
  context: RunContext,
  id: SessionId,
  { terms, takesOver }: { readonly terms: Terms; readonly takesOver: boolean },
): Promise<void> {
  const seen = takesOver ? (await viewSession(context, id)).session.machines : undefined;
  await recordUnderAnyLead(context, id, ({ session }) => {
    const known = session.machines;
    const isOurs = known?.lead === context.place;
    // The person's decision is about the lead at that time.
    if (known !== undefined && !isOurs && known.term !== seen?.term) throw ledElsewhereError(known.lead);
    const term = isOurs ? known.term : nextClaimNumber(known?.term);
    const isSame =
      isOurs && known.remote === terms.remote && known.lease_ms === terms.lease_ms && known.renew_ms === terms.renew_ms;
    if (isSame) return null;
    const next = { ...session, machines: { lead: context.place, ...terms, term } };
    return { session: { next, subject: `session: led by ${context.place}, term ${term}` } };
  });
  if (seen === undefined || seen.lead === context.place) return;
  const message = `This machine leads now, instead of ${seen.lead}: decisions of that machine no longer count, and the tasks of its agents are free once it learns of this, or after its lease.`;
  context.events.emit({ event: 'notice', level: 'info', message });
}

/**
 * Runs `work` under the session's lock; in a shared session the lead decides it at the remote, as all else, and sends no
 * heartbeat.
 */
export async function runWhereSessionIsLed(
  opened: CommandContext,
  io: Io,
  session: Session,
  work: (opened: CommandContext) => Promise<number>,
): Promise<number> {
  const { id, machines, state } = session;
  if (machines === undefined || state === 'ended') return withSessionLock(opened, id, () => work(opened));
  requireLed(session, opened);
  return runInSharedSession(opened, io, leadThrough(machines.remote), async ({ inSession }) => {
    const shared = inSession(id);
    requireLed((await viewSession(shared.context, id)).session, shared);
    return withSessionLock(shared, id, () => work(shared), { isShared: true });
  });
}

function requireLed({ machines }: Session, { context }: CommandContext): void {
  if (machines !== undefined && machines.lead !== context.place)
    throw ledElsewhereError(machines.lead, sameCommandHint);
}
