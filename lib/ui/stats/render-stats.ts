import type { Stats } from '../../domain/view-models/stats-report.ts';
import { formatCount, formatSpend, formatUsd } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import { renderIndentedTable, renderSection } from '../text/sections.ts';
import type { Style } from '../text/style.ts';
import { formatSeconds, formatShare, gradeHealthScore } from './chart-tables.ts';

const mostTasks = 30;
const mostAgents = 15;

/** The figures as text for a terminal: health first, then what it is made of. */
export function renderStats(stats: Stats, style: Style): string {
  if (stats.sessions.length === 0) return 'No session yet, so there are no figures.';
  return [
    ...renderHead(stats, style),
    ...renderSection('Health', renderHealth(stats, style), style),
    ...renderSection('Tasks', renderIndentedTable(taskRows(stats), style), style),
    ...renderSection('Times', renderTimes(stats, style), style),
    ...renderSection('Failures', renderIndentedTable(failureRows(stats), style), style),
    ...renderSection('Cost by role', renderRoles(stats, style), style),
    ...renderSection('Cost by task', renderTasks(stats, style), style),
    ...renderSection('Agents', renderAgents(stats, style), style),
    ...renderSection('Sessions', renderSessions(stats, style), style),
    ...renderSection('Anomalies', renderAnomalies(stats, style), style),
  ].join('\n');
}

function renderHead(stats: Stats, style: Style): readonly string[] {
  const [only] = stats.sessions;
  if (stats.sessions.length > 1 || only === undefined) return [style.bold(`All sessions: ${stats.sessions.length}`)];
  return [style.bold(only.session), ...wrapText(toPrintableLine(only.objective), style.width, '  ')];
}

function renderHealth({ health }: Stats, style: Style): readonly string[] {
  const { score } = health;
  const grade = gradeHealthScore(score);
  const paint = style[({ good: 'green', fair: 'yellow', poor: 'red', unknown: 'dim' } as const)[grade]];
  const rows = health.parts
    .filter(({ value }) => value !== null)
    .map(({ name, value, weight, says }) => [
      name,
      (value ?? 0).toFixed(2),
      `x ${weight.toFixed(2)}`,
      toPrintableLine(says),
    ]);
  return [
    `  ${paint(`${score === null ? '–' : score.toFixed(2)} of 1, ${grade}`)}`,
    ...renderIndentedTable(rows, style),
  ];
}

function taskRows(stats: Stats): readonly (readonly string[])[] {
  const { tasks, queue, utilisation, retries } = stats;
  return [
    ['all', `${tasks.total}${tasks.total === 0 ? '' : `: ${countsByStatus(stats)}`}`],
    ['completed', `${formatShare(tasks.completion_rate)} of settled tasks`],
    ['first attempt', `${formatShare(tasks.first_try_rate)} of landed tasks`],
    ['attempts', `${retries.attempts}, ${formatCount(retries.retried_tasks, 'task')} retried`],
    [
      'queue',
      `${queue.depth} waiting, ${queue.ready} could start; peak ${queue.peak}, ${queue.mean === null ? '–' : queue.mean.toFixed(1)} on average`,
    ],
    ['utilisation', `${formatShare(utilisation.value)} of the usable slots, ${utilisation.slots} at most`],
  ];
}

function countsByStatus({ tasks }: Stats): string {
  return Object.entries(tasks.by_status)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ');
}

function renderTimes({ times_s: times }: Stats, style: Style): readonly string[] {
  const names = {
    cycle: 'claim to landing',
    lead: 'creation to landing',
    waiting: 'waiting for an agent',
    working: 'with an agent',
    checking: 'waiting for the verdict',
    deciding: 'waiting for you, and landing',
  } as const;
  const rows = Object.entries(names).flatMap(([key, says]) => {
    const one = times[key as keyof typeof names];
    return one === null ? [] : [[key, formatSeconds(one.median), formatSeconds(one.p90), says]];
  });
  return rows.length === 0 ? [] : renderIndentedTable([['', 'median', 'p90', ''], ...rows], style);
}

function failureRows({ failures }: Stats): readonly (readonly string[])[] {
  return failures.map(({ source, rule, count }) => [String(count), source, toPrintableLine(rule)]);
}

function renderRoles({ cost }: Stats, style: Style): readonly string[] {
  const rows = cost.roles.map(({ role, runs, estimate, ...spent }) => [
    role,
    formatCount(runs, 'run'),
    formatSpend(spent),
    estimate === null
      ? ''
      : `estimated ${formatUsd(estimate.runs * estimate.agent_usd)}, at ${formatUsd(estimate.agent_usd)} for each of ${estimate.runs}`,
  ]);
  const { estimate } = cost;
  const total =
    estimate === null
      ? ''
      : `estimated ${formatUsd(estimate.base_usd)}, ${formatUsd(estimate.with_retries_usd)} at worst`;
  return renderIndentedTable(
    [...rows, ['all', '', formatSpend({ cost_usd: cost.usd, tokens: cost.tokens }), total]],
    style,
  );
}

function renderTasks({ tasks, cost }: Stats, style: Style): readonly string[] {
  if (cost.usd === 0 && cost.tokens === 0) return [];
  const sorted = tasks.list.toSorted((a, b) => b.cost_usd - a.cost_usd);
  const rows = sorted
    .slice(0, mostTasks)
    .map((task) => [
      task.task,
      formatSpend(task),
      formatCount(task.attempts, 'attempt'),
      formatSeconds(task.cycle_time_s),
      toPrintableLine(task.title),
    ]);
  return [...renderIndentedTable(rows, style), ...andMore(sorted.length - mostTasks, style)];
}

function renderAgents({ cost }: Stats, style: Style): readonly string[] {
  const rows = cost.agents
    .slice(-mostAgents)
    .map((agent) => [
      agent.agent,
      agent.task ?? '',
      formatSeconds(agent.seconds),
      formatSpend(agent),
      agent.estimate_usd === null ? '' : `estimated ${formatUsd(agent.estimate_usd)}`,
      toPrintableLine(agent.outcome),
    ]);
  return [...renderIndentedTable(rows, style), ...andMore(cost.agents.length - mostAgents, style)];
}

function renderSessions({ sessions }: Stats, style: Style): readonly string[] {
  if (sessions.length < 2) return [];
  const rows = sessions.map((one) => [
    one.session,
    one.health === null ? '–' : one.health.toFixed(2),
    formatCount(one.tasks, 'task'),
    formatShare(one.completion_rate),
    formatSeconds(one.cycle_time_s),
    formatUsd(one.cost_usd),
  ]);
  return renderIndentedTable([['', 'health', '', 'completed', 'cycle', 'cost'], ...rows], style);
}

function renderAnomalies({ anomalies, sessions }: Stats, style: Style): readonly string[] {
  const { history, needed, found } = anomalies;
  const lines = found.flatMap(({ session, says }) => {
    const where = sessions.length > 1 ? `${session}: ` : '';
    return wrapText(where + toPrintableLine(says), style.width, '  ').map(style.yellow);
  });
  if (lines.length > 0) return lines;
  const says =
    history < needed
      ? `Not enough history: ${history} of the ${needed} ended sessions needed.`
      : `None, compared with ${history} earlier sessions.`;
  return wrapText(says, style.width, '  ').map(style.dim);
}

function andMore(count: number, style: Style): readonly string[] {
  return count > 0 ? [`  ${style.dim(`and ${count} more; all with --json`)}`] : [];
}
