import type { Config } from '../../domain/config/config.ts';
import { roleAdapter, roleBudget } from '../../domain/config/role-settings.ts';
import { agentRoles, type Role } from '../../domain/role.ts';
import type { AgentRun } from '../../domain/state/session.ts';

const minRuns = 3;

interface Estimated {
  readonly cohesion_group: string;
  /** Absent: one. */
  readonly attempts?: readonly unknown[] | undefined;
}

interface AgentCounts {
  readonly base: number;
  readonly withRetries: number;
}

interface CostEstimate {
  readonly base_usd: number;
  readonly with_retries_usd: number;
  /** Of the roles that will or may run and cost something. */
  readonly roles: Partial<Record<Role, { runs: number; runs_with_retries: number; agent_usd: number }>>;
}

/**
 * What a session of these tasks will cost in USD if all goes well, and at worst. An agent costs its role's
 * average of past runs where at least 3 are known, else its role's whole budget. null: a role that will run
 * has neither (its budget is unlimited or in tokens).
 */
export function estimateCost({
  tasks,
  config,
  runs,
}: {
  readonly tasks: readonly Estimated[];
  readonly config: Config;
  /** Of this and earlier sessions. */
  readonly runs: readonly AgentRun[];
}): CostEstimate | null {
  const counts = countAgents(tasks, config);
  let [base, withRetries] = [0, 0];
  const roles: CostEstimate['roles'] = {};
  for (const role of agentRoles) {
    const price = priceOf(role, config, runs);
    if (price === null && counts[role].withRetries > 0) return null;
    base += counts[role].base * (price ?? 0);
    withRetries += counts[role].withRetries * (price ?? 0);
    if (price === null || price === 0 || counts[role].withRetries === 0) continue;
    roles[role] = {
      runs: counts[role].base,
      runs_with_retries: counts[role].withRetries,
      agent_usd: roundUsd(price),
    };
  }
  return { base_usd: roundUsd(base), with_retries_usd: roundUsd(withRetries), roles };
}

/** At worst: all retries used, each verdict tried twice, each group in conflict. */
function countAgents(tasks: readonly Estimated[], config: Config): Readonly<Record<Role, AgentCounts>> {
  const groups = new Set(tasks.map((task) => task.cohesion_group)).size;
  const attempts = 1 + config.limits.max_retries;
  const made = tasks.reduce((sum, task) => sum + (task.attempts?.length ?? 1), 0);
  return {
    // The plan is there: only another one would cost its planner again.
    planner: { base: 0, withRetries: 0 },
    worker: { base: made, withRetries: made * attempts },
    validator: { base: made, withRetries: made * 2 },
    // Where branches merge cleanly no merger is called.
    merger: { base: 0, withRetries: groups },
    // Whoever leads is asked for apart.
    queen: { base: 0, withRetries: 0 },
  };
}

function priceOf(role: Role, config: Config, runs: readonly AgentRun[]): number | null {
  const adapter = roleAdapter(config, role);
  if (adapter === 'none' || adapter === 'exec') return 0;
  const known = runs.filter((run) => run.role === role && run.cost_usd > 0);
  if (known.length >= minRuns) return known.reduce((sum, run) => sum + run.cost_usd, 0) / known.length;
  const { unit, limit } = roleBudget(config, role);
  return unit === 'usd' && limit > 0 ? limit : null;
}

function roundUsd(usd: number): number {
  return Math.round(usd * 10_000) / 10_000;
}
