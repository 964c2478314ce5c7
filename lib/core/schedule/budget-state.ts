import type { Config } from '../../domain/config/config-schema.ts';
import { readSessionBudget } from '../../domain/config/role-adapter-and-model.ts';
import type { AgentRunRecord, BudgetReservation, Session } from '../../domain/state/session-schema.ts';
import type { SpendingBreakdown } from '../../domain/view-models/status-view.ts';

export interface BudgetState {
  readonly unit: 'usd' | 'tokens';
  readonly spent: number;
  /** 0: unlimited. */
  readonly limit: number;
  readonly isSpent: boolean;
  readonly isNear: boolean;
}

/** Compares the spending of a session with its limit, raised by a person or not. */
export function computeBudgetState(config: Config, session: Session): BudgetState {
  const { unit, limit: configured } = readSessionBudget(config);
  const limit = configured === 0 ? 0 : (session.raised_limit ?? configured);
  const spent = presumedReservations(session).reduce(
    (sum, one) => sum + (unit === 'tokens' ? one.tokens : one.cost_usd),
    unit === 'tokens' ? session.tokens : session.cost_usd,
  );
  const isNear = limit > 0 && spent >= limit * config.limits.warn_threshold;
  return { unit, spent, limit, isSpent: limit > 0 && spent >= limit, isNear };
}

/** Reservations of machines that are gone, which may have spent them. */
function presumedReservations({ reservations = [] }: Pick<Session, 'reservations'>): readonly BudgetReservation[] {
  return reservations.filter((one) => one.presumed === true);
}

const keptRuns = 200;

/**
 * Adds what an agent run cost to its session; the latest 200 runs are kept one by one, all in the sums. An agent
 * that had to be started again is one run that cost both.
 */
export function addAgentRunCost(session: Session, run: AgentRunRecord): Session {
  const before = session.spend[run.role] ?? { runs: 0, cost_usd: 0, tokens: 0 };
  const spend = {
    runs: before.runs + 1,
    cost_usd: roundUsd(before.cost_usd + run.cost_usd),
    tokens: before.tokens + run.tokens,
  };
  const place = session.reservations?.find(({ agent }) => agent === run.id)?.machine;
  return {
    // Its reservation is spent now, or left over.
    ...withoutReservations(session, ({ agent }) => agent === run.id),
    cost_usd: roundUsd(session.cost_usd + run.cost_usd),
    tokens: session.tokens + run.tokens,
    spend: { ...session.spend, [run.role]: spend },
    ...(place === undefined ? {} : { spent_on: spentOn(session, place, run) }),
    agents: [...session.agents.filter(({ id }) => id !== run.id), together(session, run)].slice(-keptRuns),
  };
}

function spentOn(
  { spent_on: before = {} }: Session,
  machine: string,
  run: AgentRunRecord,
): NonNullable<Session['spent_on']> {
  const { cost_usd, tokens } = before[machine] ?? { cost_usd: 0, tokens: 0 };
  return {
    ...before,
    [machine]: { cost_usd: roundUsd(cost_usd + run.cost_usd), tokens: tokens + run.tokens },
  };
}

function together({ agents }: Session, run: AgentRunRecord): AgentRunRecord {
  const before = agents.find(({ id }) => id === run.id);
  if (before === undefined) return run;
  return {
    ...run,
    started_at: before.started_at,
    cost_usd: roundUsd(before.cost_usd + run.cost_usd),
    tokens: before.tokens + run.tokens,
  };
}

function roundUsd(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}

interface Wanted {
  /** The session's own limit, raised or not; 0: unlimited. */
  readonly limit: number;
  readonly unit: 'usd' | 'tokens';
  /** Most the agent may spend, in that unit. */
  readonly most: number;
  readonly agent: string;
  readonly machine: string;
  /** Most that all agents of this machine may spend in this session, in that unit; 0 or absent: no limit. */
  readonly mostHere?: number;
}

// With less, an agent's first request would be refused.
const least = { usd: 0.01, tokens: 1 };

/**
 * Reserves an agent's share of the limit of its session, in the unit of that, before the agent may spend any of it;
 * null: the spending and reservations of all machines leave nothing. So all machines together never pass the limit.
 */
export function reserveShare(
  session: Session,
  { limit, unit, most, agent, machine, mostHere = 0 }: Wanted,
): { readonly session: Session; readonly share: number; readonly isCut: boolean } | null {
  const others = (session.reservations ?? []).filter((one) => one.agent !== agent);
  const inUnit = ({ cost_usd, tokens }: Pick<BudgetReservation, 'cost_usd' | 'tokens'>): number =>
    unit === 'usd' ? cost_usd : tokens;
  const inAll = others.reduce((rest, one) => rest - inUnit(one), limit - inUnit(session));
  const left =
    mostHere === 0
      ? inAll
      : Math.min(inAll, mostHere - sumMachineSpending({ ...session, reservations: others }, machine, unit));
  if (left < least[unit]) return null;
  const share = Math.min(most, left);
  const own = {
    agent,
    machine,
    cost_usd: 0,
    tokens: 0,
    ...(unit === 'usd' ? { cost_usd: share } : { tokens: Math.floor(share) }),
  };
  return { session: { ...session, reservations: [...others, own] }, share: inUnit(own), isCut: share < most };
}

/** Sums the spending and reservations of a machine's agents in a session, in one unit. */
export function sumMachineSpending(
  { spent_on: spent = {}, reservations = [] }: Pick<Session, 'spent_on' | 'reservations'>,
  machine: string,
  unit: 'usd' | 'tokens',
): number {
  const own = [spent[machine], ...reservations.filter((one) => one.machine === machine)];
  return own.reduce((sum, one) => sum + ((unit === 'usd' ? one?.cost_usd : one?.tokens) ?? 0), 0);
}

/** A session in which what these agents had set aside counts as spent, until their clone says what they spent. */
export function presumeReservationsSpent(session: Session, isGone: (one: BudgetReservation) => boolean): Session {
  const { reservations = [] } = session;
  const isNew = (one: BudgetReservation): boolean => one.presumed !== true && isGone(one);
  if (!reservations.some(isNew)) return session;
  return {
    ...session,
    reservations: reservations.map((one) => (isNew(one) ? { ...one, presumed: true as const } : one)),
  };
}

/** A session without what these agents had set aside. */
export function withoutReservations(session: Session, isOver: (one: BudgetReservation) => boolean): Session {
  const { reservations = [], ...rest } = session;
  const left = reservations.filter((one) => !isOver(one));
  if (left.length === reservations.length) return session;
  return left.length === 0 ? rest : { ...rest, reservations: left };
}

/** Parts of a session's spending beside the sum of its costs: who spent it, and what counts as spent. Both are rare. */
export function breakDownSpending(session: Session): SpendingBreakdown {
  const { spent_on: spentOn = {} } = session;
  const gone = presumedReservations(session);
  const sum = (unit: 'cost_usd' | 'tokens'): number => gone.reduce((total, one) => total + one[unit], 0);
  const machines = [...new Set(gone.map(({ machine }) => machine))];
  const counted = { cost_usd: sum('cost_usd'), tokens: sum('tokens') };
  return {
    ...(Object.keys(spentOn).length < 2 ? {} : { spent_by_machine: spentOn }),
    ...(counted.cost_usd + counted.tokens === 0 ? {} : { presumed_spent: { ...counted, machines } }),
  };
}
