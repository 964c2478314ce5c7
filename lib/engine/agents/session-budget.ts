import { type BudgetState, computeBudgetState } from '../../core/schedule/budget-state.ts';
import { findBudgetKey, readRoleBudget, readSessionBudget } from '../../domain/config/role-adapter-and-model.ts';
import { FlameError, refusedError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { SharedBudget } from '../../domain/ports/agent-port.ts';
import type { Role } from '../../domain/role.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import {
  addSpending,
  computeGrantedOutputTokens,
  computeSpendingOfDemand,
  type RequestDemand,
  type Spending,
  unlimitedSpending,
} from '../../domain/state/spending.ts';
import { formatTokens, formatUsd } from '../../util/format-figures.ts';
import { isJoinedMachine } from '../machines/held-elsewhere.ts';
import type { BudgetShare } from '../machines/reserve-budget.ts';
import { type RecordContext, viewSession } from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';
import type { BudgetLedger } from '../run-memory.ts';
import { askToRaiseBudget } from './ask-person.ts';

/** Notes what a running agent has spent so far, which never shrinks; null once that is booked. */
export function trackLiveSpending({ run }: Pick<RunContext, 'run'>, agent: string, spending: Spending | null): void {
  const { live } = run.ledger;
  if (spending === null) return void live.delete(agent);
  const known = live.get(agent);
  live.set(agent, {
    cost_usd: Math.max(spending.cost_usd, known?.cost_usd ?? 0),
    tokens: Math.max(spending.tokens, known?.tokens ?? 0),
  });
}

/** Compares the spending of the session, running agents included, with its limit; warns once when that is near. */
export function checkLiveBudget(context: Pick<RunContext, 'config' | 'events' | 'run'>, session: Session): BudgetState {
  const { ledger } = context.run;
  const spent = { ...session };
  for (const { cost_usd, tokens } of ledger.live.values()) {
    spent.cost_usd += cost_usd;
    spent.tokens += tokens;
  }
  const found = computeBudgetState(context.config, spent);
  const state = {
    ...found,
    isSpent: found.isSpent || (found.limit > 0 && ledger.tooLittleAt === found.limit),
  };
  if (state.isNear && !state.isSpent && ledger.warnedAt !== state.limit) {
    ledger.warnedAt = state.limit;
    const format = state.unit === 'usd' ? formatUsd : formatTokens;
    const message = `${format(state.spent)} of ${format(state.limit)} of the session's budget is spent.`;
    context.events.emit({ event: 'notice', level: 'warning', message, until: 'budget-decided' });
  }
  return state;
}

/**
 * Called before an agent that costs something is started: where the session's budget is spent, the person is
 * asked. Throws FlameError `budget-stop` when that ends the session, or what the gate throws where no person
 * can be asked.
 */
export async function requireBudget(context: RecordContext & Pick<RunContext, 'run'>, id: SessionId): Promise<void> {
  const { ledger } = context.run;
  const turn = ledger.asking.then(() => askWhileSpent(context, id));
  ledger.asking = turn.catch(() => undefined);
  return turn;
}

async function askWhileSpent(context: RecordContext & Pick<RunContext, 'run'>, id: SessionId): Promise<void> {
  for (;;) {
    const { session } = await viewSession(context, id);
    if (session.state === 'stopped') throw budgetStop();
    const state = checkLiveBudget(context, session);
    if (!state.isSpent) return;
    // The budget of all is for the lead's person to raise: until then nothing can be set aside.
    if (isJoinedMachine(context)) return;
    if (!(await askToRaiseBudget(context, id, state))) throw budgetStop();
  }
}

/**
 * The session's budget as one of its agents meets it. A request that doesn't fit beside those of others waits for them;
 * one that doesn't fit in what is left at all waits until the person has raised the budget, or is refused.
 */
export function createSharedBudget(
  context: RecordContext & Pick<RunContext, 'run'>,
  {
    id,
    session,
    isInteractive,
  }: { readonly id: string; readonly session: SessionId; readonly isInteractive?: boolean },
): SharedBudget {
  const { open, waiting } = context.run.ledger;
  const { unit, limit } = readSessionBudget(context.config);
  return {
    isInUsd: unit === 'usd' && limit > 0,
    note: (spent) => trackLiveSpending(context, id, spent),
    // An interactive agent owns the terminal, so no budget question can be asked; it also runs alone.
    take: async (request, demand, isGone) =>
      isInteractive === true ? demand.most : takeShare(context, session, { request, demand, isGone }),
    giveBack: (request) => {
      open.delete(request);
      for (const wake of waiting) wake();
      waiting.clear();
    },
  };
}

interface BudgetRequest {
  readonly request: symbol;
  readonly demand: RequestDemand;
  readonly isGone: () => boolean;
}

async function takeShare(
  context: RecordContext & Pick<RunContext, 'run'>,
  id: SessionId,
  asked: BudgetRequest,
): Promise<number | null> {
  const { ledger } = context.run;
  while (!asked.isGone()) {
    const { session } = await viewSession(context, id);
    if (session.state === 'stopped') return null;
    const state = checkLiveBudget(context, session);
    const granted = computeGrantedOutputTokens(asked.demand, leftFor(state, ledger));
    if (granted !== null) {
      ledger.open.set(asked.request, computeSpendingOfDemand(asked.demand, granted));
      return granted;
    }
    if (ledger.open.size > 0) await new Promise<void>((resolve) => ledger.waiting.add(resolve));
    else if (!(await askForMore(context, id, state))) return null;
  }
  return null;
}

/** Budget of the session that is left beside what requests on their way may use up. */
function leftFor({ limit, spent, unit }: BudgetState, { open }: BudgetLedger): Spending {
  if (limit === 0) return unlimitedSpending;
  const held = addSpending(open.values());
  return unit === 'usd'
    ? { ...unlimitedSpending, cost_usd: limit - spent - held.cost_usd }
    : { ...unlimitedSpending, tokens: limit - spent - held.tokens };
}

/** Asks the person for more budget, once for all agents that wait, if too little is left. */
async function askForMore(
  context: RecordContext & Pick<RunContext, 'run'>,
  id: SessionId,
  { limit }: BudgetState,
): Promise<boolean> {
  context.run.ledger.tooLittleAt = limit;
  if (isJoinedMachine(context)) return false;
  return requireBudget(context, id).then(
    () => true,
    () => false,
  );
}

/** An agent ended because its share, cut to what is left of the session's budget, was too small. */
export async function recordShareTooSmall(
  context: RecordContext & Pick<RunContext, 'run'>,
  id: SessionId,
): Promise<void> {
  const { session } = await viewSession(context, id);
  context.run.ledger.tooLittleAt = checkLiveBudget(context, session).limit;
}

/** Whether an error is the session's stop at its budget. */
export function isBudgetStop(error: unknown): boolean {
  return error instanceof FlameError && error.code === 'budget-stop';
}

/**
 * Computes the share of one agent: its role's budget, and never more than is left of the session's. So no agent, even
 * one in an endless loop, spends more than its share.
 */
export function computeAgentBudget(
  context: Pick<RunContext, 'config' | 'events' | 'run'>,
  session: Session,
  role: Role,
): BudgetShare {
  const own = { ...readRoleBudget(context.config, role), key: findBudgetKey(context.config, role) };
  const { limit, spent, unit } = checkLiveBudget(context, session);
  if (limit === 0 || (own.limit > 0 && own.unit !== unit)) return { budget: own, isCut: false };
  const left = Math.max(limit - spent, unit === 'usd' ? 0.01 : 1);
  const most = own.limit === 0 ? limit : own.limit;
  return { budget: { unit, limit: Math.min(most, left), key: own.key }, isCut: left < most };
}

function budgetStop(): FlameError {
  return refusedError('budget-stop', 'The session was stopped: its budget is spent and was not raised.', [
    'git flame run',
  ]);
}
