import {
  budgetState,
  reserveShare,
  spentHere,
  withoutReservations,
} from '../../core/schedule/budget-state.ts';
import { budgetKey, roleBudget, sessionBudget } from '../../domain/config/role-settings.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import type { Role } from '../../domain/role.ts';
import type { Session } from '../../domain/state/session.ts';
import { record, recordOwn } from '../record.ts';
import type { Workshop } from '../run-context.ts';

/** Share of one agent, and whether it is less than it would have had. */
export interface ReservedShare {
  readonly budget: AgentRequest['budget'];
  readonly isCut: boolean;
}

// Number of agents of one machine that an unlimited role leaves something to.
const partsOfUnlimited = 8;
const lookAgainMs = 2_000;

/**
 * Sets an agent's share of the session's budget aside, where several machines spend of it: no agent starts before the
 * remote has that. While others hold all that is left it waits. null: the session has no limit, or this machine is alone.
 * Throws FlameError `budget-units`.
 */
export async function reserve(
  workshop: Workshop,
  id: SessionId,
  { agent, role }: { readonly agent: AgentId; readonly role: Role },
): Promise<ReservedShare | null> {
  const { sharing } = workshop;
  if (sharing === undefined) return null;
  const own = { ...roleBudget(workshop.config, role), key: budgetKey(workshop.config, role) };
  for (;;) {
    let found: (ReservedShare & { readonly isFree: boolean }) | null = null;
    await record(workshop, id, ({ session }) => {
      found = null;
      const { limit, unit } = budgetState(workshop.config, session);
      if (limit === 0) {
        found = { budget: own, isCut: false, isFree: true };
        return null;
      }
      if (own.limit > 0 && own.unit !== unit) throw budgetUnits(role);
      const most = own.limit > 0 ? own.limit : limit / partsOfUnlimited;
      const here = { machine: sharing.machine, mostHere: mostHere(workshop) };
      const reserved = reserveShare(session, { limit, unit, most, agent, ...here });
      if (reserved === null) return null;
      const { share, isCut } = reserved;
      found = { budget: { unit, limit: share, key: own.key }, isCut, isFree: false };
      return {
        session: { next: reserved.session, subject: `session: ${share} ${unit} set aside for ${agent}` },
      };
    });
    if (found !== null) return found;
    if (workshop.signal.aborted) return { budget: { ...own, limit: 0.01 }, isCut: true };
    await workshop.machine.sleep(lookAgainMs, workshop.signal);
  }
}

/**
 * Limit of this machine's agents in the session, in its unit; 0: none but that of all machines. A lead's person raises
 * the budget of all, not the amount this machine's person agreed to spend here.
 */
function mostHere({ config, sharing }: Pick<Workshop, 'config' | 'sharing'>): number {
  if (sharing?.role !== 'worker') return 0;
  return sharing.budget ?? sessionBudget(config).limit;
}

/** Whether a machine that joined has nothing left to spend: by the budget of all, or by its own. */
export function isSpentHere(workshop: Pick<Workshop, 'config' | 'sharing'>, session: Session): boolean {
  const { sharing, config } = workshop;
  const { unit, isSpent } = budgetState(config, session);
  const most = mostHere(workshop);
  const isOwnSpent = most > 0 && sharing !== undefined && spentHere(session, sharing.machine, unit) >= most;
  return isSpent || isOwnSpent;
}

/** Releases reservations of this machine's agents that don't run any more. */
export async function giveBack(workshop: Workshop, id: SessionId): Promise<void> {
  const { sharing } = workshop;
  if (sharing === undefined) return;
  const live = new Set<string>((await workshop.agents.live()).map((agent) => agent.id));
  await recordOwn(workshop, id, ({ session }) => {
    const next = withoutReservations(
      session,
      ({ agent, machine }) => machine === sharing.machine && !live.has(agent),
    );
    return next === session
      ? null
      : { session: { next, subject: 'session: what was set aside is given back' } };
  });
}

/** Releases the reservation of one agent that never spent. */
export async function giveBackOf(workshop: Workshop, id: SessionId, agent: AgentId): Promise<void> {
  if (workshop.sharing === undefined) return;
  await recordOwn(workshop, id, ({ session }) => {
    const next = withoutReservations(session, (one) => one.agent === agent);
    return next === session
      ? null
      : { session: { next, subject: `session: ${agent} gives back what it had set aside` } };
  });
}

function budgetUnits(role: Role): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'budget-units',
    message: `The budget of a ${role} and that of the session are not in the same unit, so machines can't share it.`,
    hints: [
      `Limit both in dollars or both in tokens, in .blueflame.yml: limits.max_session_cost_usd with limits.token_budget.${role}_usd`,
    ],
  });
}
