import type { AgentRun, Session } from '../../domain/state/session.ts';

type Spending = Pick<Session, 'cost_usd' | 'tokens' | 'spend'>;
interface Sums {
  readonly runs: number;
  /** Millionths of a dollar: whole numbers add up to the same in any order. */
  readonly microUsd: number;
  readonly tokens: number;
}

const nothing: Sums = { runs: 0, microUsd: 0, tokens: 0 };

/**
 * Merges the spending of both clones: what each added since the base, runs that both know counted once. Without a base:
 * the union of the runs, and the larger of the sums spent on runs that are no longer listed one by one.
 */
export function mergeSpending(base: Session | null, ours: Session, theirs: Session): Spending {
  const total = merge(base, ours, theirs, null);
  const roles = [...new Set([...Object.keys(ours.spend), ...Object.keys(theirs.spend)])].sort();
  const spend = roles.map((role): [string, Spending['spend'][string]] => {
    const { runs, microUsd, tokens } = merge(base, ours, theirs, role);
    return [role, { runs, cost_usd: microUsd / 1e6, tokens }];
  });
  return { cost_usd: total.microUsd / 1e6, tokens: total.tokens, spend: Object.fromEntries(spend) };
}

/** The sums of one role; null: of the session. */
function merge(base: Session | null, ours: Session, theirs: Session, role: string | null): Sums {
  const runsOf = (session: Session): readonly AgentRun[] =>
    session.agents.filter((run) => role === null || run.role === role);
  const [left, right] = [statedSums(ours, role), statedSums(theirs, role)];
  const known = new Set(theirs.agents.map(({ id }) => id));
  const old = new Set((base?.agents ?? []).map(({ id }) => id));
  const shared = sumOf(runsOf(ours).filter(({ id }) => known.has(id) && !old.has(id)));
  if (base !== null) return add(add(left, right), negative(add(statedSums(base, role), shared)));
  const [oursListed, theirsListed] = [sumOf(runsOf(ours)), sumOf(runsOf(theirs))];
  const unlisted = larger(add(left, negative(oursListed)), add(right, negative(theirsListed)));
  return add(unlisted, add(add(oursListed, theirsListed), negative(shared)));
}

function statedSums(session: Session, role: string | null): Sums {
  const stated = role === null ? { ...session, runs: 0 } : session.spend[role];
  if (stated === undefined) return nothing;
  return { runs: stated.runs, microUsd: toMicro(stated.cost_usd), tokens: stated.tokens };
}

function sumOf(runs: readonly AgentRun[]): Sums {
  return runs.reduce(
    (sum, { cost_usd, tokens }) => add(sum, { runs: 1, microUsd: toMicro(cost_usd), tokens }),
    nothing,
  );
}

function add(a: Sums, b: Sums): Sums {
  return { runs: a.runs + b.runs, microUsd: a.microUsd + b.microUsd, tokens: a.tokens + b.tokens };
}

function negative({ runs, microUsd, tokens }: Sums): Sums {
  return { runs: -runs, microUsd: -microUsd, tokens: -tokens };
}

function larger(a: Sums, b: Sums): Sums {
  return {
    runs: Math.max(a.runs, b.runs),
    microUsd: Math.max(a.microUsd, b.microUsd),
    tokens: Math.max(a.tokens, b.tokens),
  };
}

function toMicro(usd: number): number {
  return Math.round(usd * 1e6);
}
