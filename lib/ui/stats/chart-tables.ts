import type { Stats, TaskFigures } from '../../domain/view-models/stats-report.ts';
import { formatDuration, formatTime, formatUsd } from '../../util/format-figures.ts';

/** Bars a chart has room for. */
export const mostBars = 30;

/** A chart's figures as a table, for readers who can't see it or want the numbers. */
interface ChartTable {
  readonly name: string;
  readonly title: string;
  /** Its meaning, one sentence. */
  readonly says: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The charts there are figures for, each with its table. */
export function buildChartTables(stats: Stats): readonly ChartTable[] {
  const tables = [
    flowTable(stats),
    failureTable(stats),
    roleTable(stats),
    taskCostTable(stats),
    cycleTable(stats),
    sessionTable(stats),
  ];
  return tables.filter(({ rows }) => rows.length > 0);
}

/** The tasks with the largest figures, largest first. */
export function listTasksWithLargestFigure(
  stats: Stats,
  figure: (task: TaskFigures) => number | null,
): readonly TaskFigures[] {
  const known = stats.tasks.list.filter((task) => figure(task) !== null);
  return known.toSorted((a, b) => (figure(b) ?? 0) - (figure(a) ?? 0)).slice(0, mostBars);
}

function flowTable({ flow }: Stats): ChartTable {
  // A line needs two moments.
  const points = flow.length < 2 ? [] : flow;
  return {
    name: 'flow',
    title: 'Tasks over time',
    says: `Number of tasks in each state, from ${flow[0] === undefined ? 'nothing' : formatTime(flow[0].at)} on.`,
    head: ['time (UTC)', 'landed', 'done, not landed', 'working', 'waiting', 'lost'],
    rows: points.map(({ at, ...count }) => [
      at.replace('T', ' ').slice(0, 19),
      ...[count.landed, count.checking, count.working, count.waiting, count.lost].map(String),
    ]),
  };
}

function failureTable({ failures }: Stats): ChartTable {
  return {
    name: 'failures',
    title: 'Failures by rule',
    says: 'Refusals and failures: where they were found, and the rule or kind.',
    head: ['found by', 'rule', 'times'],
    rows: failures.slice(0, mostBars).map(({ source, rule, count }) => [source, rule, String(count)]),
  };
}

function roleTable({ cost }: Stats): ChartTable {
  const hasCost = cost.usd > 0 || (cost.estimate?.base_usd ?? 0) > 0;
  return {
    name: 'role-cost',
    title: 'Estimate and actual by role',
    says: 'Expected cost of the agents of each role if all goes well, and actual cost with retries.',
    head: ['role', 'runs', 'estimated', 'actual', 'tokens'],
    rows: (hasCost ? cost.roles : []).map(({ role, runs, estimate, cost_usd, tokens }) => [
      role,
      String(runs),
      estimate === null ? '–' : formatUsd(estimate.runs * estimate.agent_usd),
      formatUsd(cost_usd),
      String(tokens),
    ]),
  };
}

function taskCostTable(stats: Stats): ChartTable {
  const tasks = listTasksWithLargestFigure(stats, (task) => (task.cost_usd > 0 ? task.cost_usd : null));
  return {
    name: 'task-cost',
    title: 'Cost by task',
    says: `Most expensive tasks first${overflow(stats, tasks)}.`,
    head: ['task', 'title', 'attempts', 'cost'],
    rows: tasks.map(({ task, title, attempts, cost_usd }) => [task, title, String(attempts), formatUsd(cost_usd)]),
  };
}

function cycleTable(stats: Stats): ChartTable {
  const tasks = listTasksWithLargestFigure(stats, (task) => task.cycle_time_s);
  return {
    name: 'cycle',
    title: 'Claim to landing',
    says: `Longest first${overflow(stats, tasks)}; the median is ${formatSeconds(stats.times_s.cycle?.median)}.`,
    head: ['task', 'title', 'time'],
    rows: tasks.map(({ task, title, cycle_time_s }) => [task, title, formatSeconds(cycle_time_s)]),
  };
}

function sessionTable({ sessions }: Stats): ChartTable {
  const shown = sessions.length < 2 ? [] : sessions;
  return {
    name: 'sessions',
    title: 'Session by session',
    says: 'Health, completed tasks and use of worker slots, oldest session first.',
    head: ['session', 'objective', 'tasks', 'health', 'completed', 'slots in use', 'cycle', 'cost'],
    rows: shown.map((one) => [
      one.session,
      one.objective.split('\n')[0] ?? '',
      String(one.tasks),
      one.health === null ? '–' : one.health.toFixed(2),
      formatShare(one.completion_rate),
      formatShare(one.utilisation),
      formatSeconds(one.cycle_time_s),
      formatUsd(one.cost_usd),
    ]),
  };
}

function overflow({ tasks }: Stats, shown: readonly TaskFigures[]): string {
  return shown.length === mostBars && tasks.total > mostBars ? `, ${mostBars} of ${tasks.total}` : '';
}

/** A share as a person reads it; a dash where it isn't known. */
export function formatShare(value: number | null): string {
  return value === null ? '–' : `${Math.round(value * 100)} %`;
}

/** Seconds as a person says them; a dash where they aren't known. */
export function formatSeconds(value: number | null | undefined): string {
  return value == null ? '–' : formatDuration(value * 1_000);
}

/** The name of a health score. */
export function gradeHealthScore(score: number | null): 'good' | 'fair' | 'poor' | 'unknown' {
  if (score === null) return 'unknown';
  return score >= 0.8 ? 'good' : score >= 0.6 ? 'fair' : 'poor';
}
