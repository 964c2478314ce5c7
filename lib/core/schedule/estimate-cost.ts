import type { Config } from '../../domain/config/config-schema.ts';
import { findRoleAdapter, readRoleBudget, type TaskAgentSettings } from '../../domain/config/role-adapter-and-model.ts';
import { agentRoles, type Role } from '../../domain/role.ts';
import type { AttemptAdapterAndModel } from '../../domain/state/attempt-record.ts';
import type { AgentRunRecord } from '../../domain/state/session-schema.ts';
import { expandTaskAttempts } from '../../domain/state/task-facts.ts';

const minRuns = 3;

interface Estimated extends TaskAgentSettings {
  /** Absent: one. */
  readonly attempts?: readonly AttemptAdapterAndModel[] | undefined;
}

interface AgentCounts {
  readonly base: number;
  readonly withRetries: number;
}

interface CostEstimate {
  readonly base_usd: number;
  readonly with_retries_usd: number;
  /** Roles that will or may run and cost something. */
  readonly roles: Partial<Record<Role, { runs: number; runs_with_retries: number; agent_usd: number }>>;
}

/**
 * Estimates the cost of a session of these tasks in USD if all goes well, and at worst. An agent costs its role's
 * average of past runs where at least 3 are known, else its role's whole budget. null: a role that will run has neither
 * (its budget is unlimited or in tokens).
 */
export function estimateCost({
  tasks,
  config,
  runs,
}: {
  readonly tasks: readonly Estimated[];
  readonly config: Config;
  /** Runs of this and earlier sessions. */
  readonly runs: readonly AgentRunRecord[];
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

/** Those of a model. At worst: all retries used, each verdict tried twice, each group in conflict. */
function countAgents(tasks: readonly Estimated[], config: Config): Readonly<Record<Role, AgentCounts>> {
  const groups = new Set(tasks.map((task) => task.cohesion_group)).size;
  const made = tasks.flatMap((task) => expandTaskAttempts(task));
  const paidFor = (role: Role): number => made.filter((task) => isPaid(role, config, task)).length;
  const [workers, validators] = [paidFor('worker'), paidFor('validator')];
  return {
    // The plan is there: only another one would cost its planner again.
    planner: { base: 0, withRetries: 0 },
    worker: { base: workers, withRetries: workers * (1 + config.limits.max_retries) },
    validator: { base: validators, withRetries: validators * 2 },
    // Where branches merge cleanly no merger is called.
    merger: { base: 0, withRetries: isPaid('merger', config, null) ? groups : 0 },
    // The lead agent is asked about separately.
    queen: { base: 0, withRetries: 0 },
  };
}

function isPaid(role: Role, config: Config, task: TaskAgentSettings | null): boolean {
  return !['none', 'exec'].includes(findRoleAdapter(config, role, task));
}

function priceOf(role: Role, config: Config, runs: readonly AgentRunRecord[]): number | null {
  const known = runs.filter((run) => run.role === role && run.cost_usd > 0);
  if (known.length >= minRuns) return known.reduce((sum, run) => sum + run.cost_usd, 0) / known.length;
  const { unit, limit } = readRoleBudget(config, role);
  return unit === 'usd' && limit > 0 ? limit : null;
}

function roundUsd(usd: number): number {
  return Math.round(usd * 10_000) / 10_000;
}
