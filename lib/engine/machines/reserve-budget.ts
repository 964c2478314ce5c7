import {
  computeBudgetState,
  reserveShare,
  sumMachineSpending,
  withoutReservations,
} from '../../core/schedule/budget-state.ts';
import { findBudgetKey, readRoleBudget, readSessionBudget } from '../../domain/config/role-adapter-and-model.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import type { Role } from '../../domain/role.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { decideAndRecord, recordUnderAnyLead } from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';

/** Share of one agent. */
export interface BudgetShare {
  readonly budget: AgentRequest['budget'];
  /** It is less than the agent would have had, for others have spent of the session's budget. */
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
export async function reserveAgentBudget(
  context: RunContext,
  id: SessionId,
  { agent, role }: { readonly agent: AgentId; readonly role: Role },
): Promise<BudgetShare | null> {
  const { remoteSession } = context;
  if (remoteSession === undefined) return null;
  const own = { ...readRoleBudget(context.config, role), key: findBudgetKey(context.config, role) };
  for (;;) {
    let found: BudgetShare | null = null;
    await decideAndRecord(context, id, ({ session }) => {
      found = null;
      const { limit, unit } = computeBudgetState(context.config, session);
      if (limit === 0) {
        found = { budget: own, isCut: false };
        return null;
      }
      if (own.limit > 0 && own.unit !== unit) throw budgetUnits(role);
      const most = own.limit > 0 ? own.limit : limit / partsOfUnlimited;
      const here = { machine: remoteSession.machine, mostHere: mostHere(context) };
      const reserved = reserveShare(session, { limit, unit, most, agent, ...here });
      if (reserved === null) return null;
      const { share, isCut } = reserved;
      found = { budget: { unit, limit: share, key: own.key }, isCut };
      return {
        session: { next: reserved.session, subject: `session: ${share} ${unit} reserved for ${agent}` },
      };
    });
    if (found !== null) return found;
    if (context.signal.aborted) return { budget: { ...own, limit: 0.01 }, isCut: true };
    await context.machine.sleep(lookAgainMs, context.signal);
  }
}

/**
 * Limit of this machine's agents in the session, in its unit; 0: none but that of all machines. A lead's person raises
 * the budget of all, not the amount this machine's person agreed to spend here.
 */
function mostHere({ config, remoteSession }: Pick<RunContext, 'config' | 'remoteSession'>): number {
  if (remoteSession?.role !== 'worker') return 0;
  return remoteSession.budget ?? readSessionBudget(config).limit;
}

/** Whether a machine that joined has nothing left to spend: by the budget of all, or by its own. */
export function isBudgetSpentHere(context: Pick<RunContext, 'config' | 'remoteSession'>, session: Session): boolean {
  const { remoteSession, config } = context;
  const { unit, isSpent } = computeBudgetState(config, session);
  const most = mostHere(context);
  const isOwnSpent =
    most > 0 && remoteSession !== undefined && sumMachineSpending(session, remoteSession.machine, unit) >= most;
  return isSpent || isOwnSpent;
}

/** Releases the reservation of one agent that never spent. */
export async function releaseUnspentReservation(context: RunContext, id: SessionId, agent: AgentId): Promise<void> {
  if (context.remoteSession === undefined) return;
  await recordUnderAnyLead(context, id, ({ session }) => {
    const next = withoutReservations(session, (one) => one.agent === agent);
    return next === session ? null : { session: { next, subject: `session: reservation of ${agent} released` } };
  });
}

function budgetUnits(role: Role): FlameError {
  return refusedError(
    'budget-units',
    `The budget of a ${role} and that of the session are in different units, so machines can't share it.`,
    [
      `Limit both in dollars or both in tokens, in .blueflame.yml: limits.max_session_cost_usd with limits.token_budget.${role}_usd`,
    ],
  );
}
