import { createHash } from 'node:crypto';
import type { Stats } from '../../domain/view-models/stats-report.ts';
import { formatSpend, formatUsd } from '../../util/format-figures.ts';
import { fillTemplate, readPageScript, readTemplate, renderInlineJson } from '../page/page-template.ts';
import { buildChartTables, formatSeconds, formatShare, gradeHealthScore } from './chart-tables.ts';

/**
 * The figures as one page that needs nothing else: charts, and the same figures as tables. Its own style and
 * script are let in by their hashes, nothing else is.
 */
export function renderStatsPage(stats: Stats): string {
  const style = readTemplate('stats.css');
  const script = readPageScript('stats');
  const policy = [
    "default-src 'none'",
    `script-src ${sourceHash(script)}`,
    `style-src ${sourceHash(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return fillTemplate('stats', {
    policy,
    style,
    script,
    data: renderInlineJson(stats),
    title: titleOf(stats),
    at: `${stats.at.replace('T', ' ').slice(0, 16)} UTC`,
    health: stats.health,
    grade: gradeHealthScore(stats.health.score),
    tiles: tilesOf(stats),
    charts: buildChartTables(stats),
    agents: agentRows(stats),
    anomalies: stats.anomalies,
    isSeveral: stats.sessions.length > 1,
  });
}

function sourceHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function titleOf({ sessions }: Stats): string {
  const [only] = sessions;
  if (only === undefined) return 'No session yet';
  return sessions.length === 1 ? (only.objective.split('\n')[0] ?? '') : `${sessions.length} sessions`;
}

function tilesOf(stats: Stats): readonly { readonly name: string; readonly value: string; readonly says: string }[] {
  const { tasks, times_s: times, queue, utilisation, cost, retries } = stats;
  const { merged } = tasks.by_status;
  const mean = queue.mean === null ? '–' : queue.mean.toFixed(1);
  return [
    {
      name: 'Completed',
      value: formatShare(tasks.completion_rate),
      says: `of settled tasks; ${merged} of all ${tasks.total} landed`,
    },
    {
      name: 'First attempt',
      value: formatShare(tasks.first_try_rate),
      says: `${retries.attempts} attempts, ${retries.retried_tasks} tasks retried`,
    },
    {
      name: 'Claim to landing',
      value: formatSeconds(times.cycle?.median),
      says: `median; 90 % within ${formatSeconds(times.cycle?.p90)}`,
    },
    {
      name: 'Queue',
      value: String(queue.depth),
      says: `${queue.ready} could start; peak ${queue.peak}, ${mean} on average`,
    },
    {
      name: 'Slots in use',
      value: formatShare(utilisation.value),
      says: `of the usable slots, ${utilisation.slots} at most`,
    },
    {
      name: 'Cost',
      value: formatUsd(cost.usd),
      says:
        cost.estimate === null
          ? 'no estimate'
          : `estimated ${formatUsd(cost.estimate.base_usd)}, ${formatUsd(cost.estimate.with_retries_usd)} at worst`,
    },
  ];
}

function agentRows({ cost }: Stats): readonly (readonly string[])[] {
  return cost.agents.map((run) => [
    run.agent,
    run.task ?? '',
    run.model ?? '',
    run.outcome,
    formatSeconds(run.seconds),
    run.estimate_usd === null ? '–' : formatUsd(run.estimate_usd),
    formatSpend(run),
  ]);
}
