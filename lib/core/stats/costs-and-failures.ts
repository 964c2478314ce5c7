import type { StateLogEntry } from '../../domain/ports/store-port.ts';
import { agentRoles, type Role } from '../../domain/role.ts';
import type { AgentRunRecord, Session } from '../../domain/state/session-schema.ts';
import type { HistoryEntry, Task } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import {
  type AgentFigures,
  type FailureCount,
  type FailureSource,
  failureSources,
  type RoleFigures,
  type TaskFigures,
} from '../../domain/view-models/stats-report.ts';
import { sum } from './distribution.ts';

type TaskCost = Pick<TaskFigures, 'cost_usd' | 'tokens' | 'cost_by_role'>;

/** Expected and actual cost of each role, retries included; roles neither run nor expected are left out. */
export function computeRoleFigures(sessions: readonly Session[]): readonly RoleFigures[] {
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
export function listAgentFigures({ id, agents, estimate }: Session): readonly AgentFigures[] {
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
export function computeTaskCost(session: Session, task: Task, verdicts: readonly Verdict[]): TaskCost {
  const booked = sum(Object.values(session.spend).map(({ runs }) => runs));
  const runs = session.agents.filter((run) => run.task_id === task.id);
  return booked <= session.agents.length ? costOfRuns(runs) : costOfRecords(task, verdicts);
}

function costOfRuns(runs: readonly AgentRunRecord[]): TaskCost {
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

interface FailureFacts {
  readonly tasks: readonly Task[];
  readonly log: readonly StateLogEntry[];
  readonly verdicts: readonly Verdict[];
  /** Blocked calls of this session's agents by rule, as far as this machine has their audits. */
  readonly blocked: ReadonlyMap<string, number>;
  /** Tasks whose evidence came out otherwise when it was checked again. */
  readonly doubtful: number;
}

/** Everything that was refused or went wrong, by where it was found and what it broke; the most frequent first. */
export function countFailuresByRule(facts: FailureFacts): readonly FailureCount[] {
  const counts = new Map<string, number>();
  const add = (source: FailureSource, rule: string, count = 1): void => {
    const key = `${source}\n${rule}`;
    counts.set(key, (counts.get(key) ?? 0) + count);
  };
  for (const [rule, count] of facts.blocked) add('watcher', rule, count);
  for (const entry of facts.log) for (const { source, rule } of failureIn(entry)) add(source, rule);
  for (const { status, by, diagnostics } of facts.verdicts) {
    for (const run of diagnostics) if (run.exit_code !== 0) add('diagnostic', run.command);
    if (status === 'fail' && by !== 'diagnostics') add('verdict', 'failed by a validator');
  }
  for (const result of facts.tasks.flatMap(({ history }) => history.map(resultOf))) {
    if (result === 'conflict') add('merge', 'conflict');
    if (result === 'rejected') add('review', 'rejected');
  }
  if (facts.doubtful > 0) add('evidence', 'different result when checked again', facts.doubtful);
  return [...counts].map(([key, count]) => ({ ...split(key), count })).sort(inOrder);
}

/** Why an attempt failed, by the commit that recorded it. */
function failureIn({ trailers }: StateLogEntry): readonly Omit<FailureCount, 'count'>[] {
  if (trailers.Transition?.endsWith(' -> failed') !== true) return [];
  const kind = trailers.Failure ?? 'unknown';
  if (kind !== 'violation') return [{ source: 'agent', rule: kind }];
  const rules = trailers.Rule?.split(', ') ?? ['violation'];
  return rules.map((rule) => ({ source: 'post-check', rule }));
}

/** Old entries are one line, which begins with what became of the attempt. */
function resultOf({ result, notes }: HistoryEntry): string {
  return result === 'summary' ? (notes.split(':')[0] ?? '') : result;
}

function split(key: string): Omit<FailureCount, 'count'> {
  const at = key.indexOf('\n');
  const source = failureSources.find((known) => known === key.slice(0, at)) ?? 'agent';
  return { source, rule: key.slice(at + 1) };
}

function inOrder(a: FailureCount, b: FailureCount): number {
  const bySource = failureSources.indexOf(a.source) - failureSources.indexOf(b.source);
  return b.count - a.count || bySource || (a.rule < b.rule ? -1 : 1);
}
