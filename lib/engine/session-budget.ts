import { type BudgetState, budgetState } from '../core/budget-state.ts';
import type { SharedBudget } from '../domain/agent-port.ts';
import { roleBudget } from '../domain/config.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { SessionId } from '../domain/ids.ts';
import type { Role } from '../domain/role.ts';
import type { Session } from '../domain/session.ts';
import { formatTokens, formatUsd } from '../util/format-amount.ts';
import { askForBudget } from './ask-for-budget.ts';
import { viewSession } from './record.ts';
import type { Workshop } from './workshop.ts';

interface Spending {
  readonly cost_usd: number;
  readonly tokens: number;
}

interface Ledger {
  /** What agents that run have spent so far; booked when they end. */
  readonly live: Map<string, Spending>;
  /** The limit somebody was warned about. */
  warnedAt: number;
  /** One question at a time. */
  asking: Promise<unknown>;
}

// By the events: a workshop is built anew when the configuration changes, they stay.
const ledgers = new WeakMap<Workshop['events'], Ledger>();

/** Notes what a running agent has spent so far, which never shrinks; null once that is booked. */
export function noteSpending(workshop: Workshop, agent: string, spending: Spending | null): void {
  const { live } = ledgerOf(workshop);
  if (spending === null) return void live.delete(agent);
  const known = live.get(agent);
  live.set(agent, {
    cost_usd: Math.max(spending.cost_usd, known?.cost_usd ?? 0),
    tokens: Math.max(spending.tokens, known?.tokens ?? 0),
  });
}

/** Where the session stands, agents that run included; warns once when the limit is near. */
export function watchBudget(workshop: Workshop, session: Session): BudgetState {
  const ledger = ledgerOf(workshop);
  const spent = { ...session };
  for (const { cost_usd, tokens } of ledger.live.values()) {
    spent.cost_usd += cost_usd;
    spent.tokens += tokens;
  }
  const state = budgetState(workshop.config, spent);
  if (state.isNear && !state.isSpent && ledger.warnedAt !== state.limit) {
    ledger.warnedAt = state.limit;
    const format = state.unit === 'usd' ? formatUsd : formatTokens;
    const message = `${format(state.spent)} of ${format(state.limit)} of the session's budget are spent.`;
    workshop.events.emit({ event: 'notice', level: 'warning', message });
  }
  return state;
}

/**
 * Called before an agent that costs something is started: where the session's budget is spent, the person is asked.
 * Throws FlameError `budget-stop` when that ends the session, or what the gate throws where nobody can be asked.
 */
export async function requireBudget(workshop: Workshop, id: SessionId): Promise<void> {
  const ledger = ledgerOf(workshop);
  const turn = ledger.asking.then(() => askWhileSpent(workshop, id));
  ledger.asking = turn.catch(() => undefined);
  return turn;
}

async function askWhileSpent(workshop: Workshop, id: SessionId): Promise<void> {
  for (;;) {
    const { session } = await viewSession(workshop, id);
    if (session.state === 'stopped') throw budgetStop();
    const state = watchBudget(workshop, session);
    if (!state.isSpent) return;
    if (!(await askForBudget(workshop, id, state))) throw budgetStop();
  }
}

/**
 * The session's budget as one of its agents meets it. Where agents that work at the same time have spent it
 * together, the next request of each waits until the person has raised it, or is refused.
 */
export function sharedBudget(
  workshop: Workshop,
  {
    id,
    session,
    isInteractive,
  }: { readonly id: string; readonly session: SessionId; readonly isInteractive?: boolean },
): SharedBudget {
  return {
    note: (spent) => noteSpending(workshop, id, spent),
    // Who talks with a person has the terminal: nobody can be asked there, and nobody works beside it.
    maySpend: async () => {
      if (isInteractive === true) return true;
      return requireBudget(workshop, session).then(
        () => true,
        () => false,
      );
    },
  };
}

/** Whether an error is the session's stop at its budget. */
export function isBudgetStop(error: unknown): boolean {
  return error instanceof FlameError && error.code === 'budget-stop';
}

/**
 * What one agent may spend: its role's budget, and never more than is left of the session's. So no agent, however
 * long it goes round in circles, spends more than its share.
 */
export function agentShare(
  workshop: Workshop,
  session: Session,
  role: Role,
): { readonly unit: 'usd' | 'tokens'; readonly limit: number } {
  const own = roleBudget(workshop.config, role);
  const { limit, spent, unit } = watchBudget(workshop, session);
  if (limit === 0) return own;
  const left = Math.max(limit - spent, unit === 'usd' ? 0.01 : 1);
  if (own.limit === 0) return { unit, limit: left };
  return own.unit === unit ? { unit, limit: Math.min(own.limit, left) } : own;
}

function ledgerOf({ events }: Workshop): Ledger {
  const known = ledgers.get(events);
  if (known !== undefined) return known;
  const made: Ledger = { live: new Map(), warnedAt: 0, asking: Promise.resolve() };
  ledgers.set(events, made);
  return made;
}

function budgetStop(): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'budget-stop',
    message: "The session was stopped: its budget is spent, and it wasn't raised.",
    hints: ['git flame run'],
  });
}
