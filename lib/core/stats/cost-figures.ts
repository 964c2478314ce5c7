import { agentRoles, type Role } from '../../domain/role.ts';
import type { AgentFigures, RoleFigures, TaskFigures } from '../../domain/shown/stats.ts';
import type { AgentRun, Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { sum } from './distribution.ts';

type TaskCost = Pick<TaskFigures, 'cost_usd' | 'tokens' | 'cost_by_role'>;

/** Expected and actual cost of each role, retries included; roles neither run nor expected are left out. */
export function roleFigures(sessions: readonly Session[]): readonly RoleFigures[] {
  return agentRoles.flatMap((role) => {
    const spend = sessions.flatMap((session) => session.spend[role] ?? []);
    const estimates = sessions.flatMap(({ estimate }) => estimate?.roles?.[role] ?? []);
    const ranUnestimated = sessions.some((one) => one.spend[role] && !one.estimate?.roles?.[role]);
    if (spend.length + estimates.length === 0) return [];
    const runs = sum(estimates.map((estimate) => estimate.runs));
    return [
      {
        role,
        runs: sum(spend.map((part) => part.runs)),
        cost_usd: roundUsd(sum(spend.map((part) => part.cost_usd))),
        tokens: sum(spend.map((part) => part.tokens)),
        estimate:
          // Half an estimate beside a whole cost would mislead.
          estimates.length === 0 || ranUnestimated
            ? null
            : {
                runs,
                runs_with_retries: sum(estimates.map((estimate) => estimate.runs_with_retries)),
                agent_usd: roundUsd(sum(estimates.map(({ agent_usd }) => agent_usd)) / estimates.length),
              },
      },
    ];
  });
}

/** Every agent run the session's note still lists, with what one of its role was expected to cost. */
export function agentFigures({ id, agents, estimate }: Session): readonly AgentFigures[] {
  return agents.map((run) => ({
    session: id,
    agent: run.id,
    role: run.role,
    task: run.task_id,
    model: run.model,
    outcome: run.outcome,
    seconds: Math.max(0, (Date.parse(run.ended_at) - Date.parse(run.started_at)) / 1_000),
    estimate_usd: estimate?.roles?.[run.role]?.agent_usd ?? null,
    cost_usd: run.cost_usd,
    tokens: run.tokens,
  }));
}

/**
 * Sums the cost of all agent runs for a task. A long session's note lists the latest runs only; then the task's history
 * and verdicts count.
 */
export function taskCost(session: Session, task: Task, verdicts: readonly Verdict[]): TaskCost {
  const booked = sum(Object.values(session.spend).map(({ runs }) => runs));
  const runs = session.agents.filter((run) => run.task_id === task.id);
  return booked <= session.agents.length ? costOfRuns(runs) : costOfRecords(task, verdicts);
}

function costOfRuns(runs: readonly AgentRun[]): TaskCost {
  const byRole = (role: Role): number =>
    roundUsd(sum(runs.filter((run) => run.role === role).map(({ cost_usd }) => cost_usd)));
  return toCost(byRole, sum(runs.map(({ tokens }) => tokens)));
}

function costOfRecords(task: Task, verdicts: readonly Verdict[]): TaskCost {
  const own = verdicts.filter((verdict) => verdict.task === task.id);
  const costs: Partial<Record<Role, number>> = {
    worker: sum(task.history.map(({ cost_usd }) => cost_usd)),
    validator: sum(own.map(({ cost_usd }) => cost_usd)),
  };
  const tokens = sum(task.history.map(({ tokens_used }) => tokens_used)) + sum(own.map((v) => v.tokens));
  return toCost((role) => roundUsd(costs[role] ?? 0), tokens);
}

function toCost(byRole: (role: Role) => number, tokens: number): TaskCost {
  const costs = agentRoles.map((role): [Role, number] => [role, byRole(role)]);
  return {
    cost_usd: roundUsd(sum(costs.map(([, usd]) => usd))),
    tokens,
    cost_by_role: Object.fromEntries(costs.filter(([, usd]) => usd > 0)),
  };
}

function roundUsd(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}
