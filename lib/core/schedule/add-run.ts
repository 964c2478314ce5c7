import type { AgentRun, Session } from '../../domain/state/session.ts';
import { withoutReservations } from './reserve-share.ts';

const keptRuns = 200;

/**
 * Adds what an agent run cost to its session; the latest 200 runs are kept one by one, all in the sums. An agent
 * that had to be started again is one run that cost both.
 */
export function addRun(session: Session, run: AgentRun): Session {
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
  run: AgentRun,
): NonNullable<Session['spent_on']> {
  const { cost_usd, tokens } = before[machine] ?? { cost_usd: 0, tokens: 0 };
  return {
    ...before,
    [machine]: { cost_usd: roundUsd(cost_usd + run.cost_usd), tokens: tokens + run.tokens },
  };
}

function together({ agents }: Session, run: AgentRun): AgentRun {
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
