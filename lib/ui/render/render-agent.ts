import type { LiveAgent, RegisteredAgent } from '../../domain/ports/agent-port.ts';
import type { AgentRunRecord } from '../../domain/state/session-schema.ts';
import type { HistoryEntry } from '../../domain/state/task-schema.ts';
import type { AgentCalls } from '../../domain/view-models/task-story.ts';
import { formatSpend, formatTime } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { renderTable } from '../../util/table.ts';
import { toPrintableLine, toPrintableText } from '../text/printable-text.ts';
import { formatTimeBetween, renderIndentedTable, renderSection } from '../text/sections.ts';
import type { Style } from '../text/style.ts';
import { renderCalls } from './render-calls.ts';
import { renderNextCommand } from './render-error.ts';

interface AgentView {
  readonly id: string;
  /** null of one that cost nothing and has ended. */
  readonly run: AgentRunRecord | LiveAgent | null;
  readonly task: string | null;
  /** Outcomes of its work. */
  readonly attempts: readonly HistoryEntry[];
  readonly calls: readonly AgentCalls[];
  readonly next: readonly string[];
}

/** An agent that runs, or one that ran: what it worked on, for how long, for how much, and what it was not let do. */
export function renderAgent(view: AgentView, style: Style, now: Date): string {
  const { id, run, task, attempts, calls, next } = view;
  const shown = (run === null ? [['task', task] as const] : runRows(run, now)).flatMap(([name, value]) =>
    value === null ? [] : [[name, toPrintableLine(value)]],
  );
  const ends = attempts.flatMap(({ result, notes }) =>
    wrapText(`${toPrintableLine(result)}: ${toPrintableText(notes)}`, style.width, '  '),
  );
  return [
    style.bold(toPrintableLine(id)),
    ...renderIndentedTable(shown, style),
    ...renderSection('Result', ends, style),
    ...renderSection('Calls', renderCalls(calls, style), style),
    ...(next.length === 0 ? [] : ['']),
    ...next.map((command) => renderNextCommand(toPrintableLine(command), style)),
  ].join('\n');
}

function runRows(run: AgentRunRecord | LiveAgent, now: Date): readonly (readonly [string, string | null])[] {
  const hasEnded = 'ended_at' in run;
  return [
    ['role', run.role],
    ['task', run.task_id],
    ['model', hasEnded ? run.model : null],
    ['pid', hasEnded ? null : String(run.pid)],
    ['started', formatTime(run.started_at)],
    [hasEnded ? 'took' : 'elapsed', formatTimeBetween(run.started_at, hasEnded ? run.ended_at : now)],
    ['outcome', hasEnded ? run.outcome : 'running'],
    ['cost', formatSpend(run)],
  ];
}

/** Running agents, one a line: who, on what, for how long, for how much, and what was last heard of it. */
export function renderAgents(agents: readonly RegisteredAgent[], style: Style, now: Date): string {
  if (agents.length === 0) return 'No agent is running.';
  const since = (iso: string): string => formatTimeBetween(iso, now);
  const rows = agents.map((agent) => [
    agent.id,
    agent.task_id ?? '-',
    `pid ${agent.pid}`,
    since(agent.started_at),
    formatSpend(agent),
    `${since(agent.last_activity_at)} ago${agent.activity === '' ? '' : `: ${toPrintableLine(agent.activity)}`}`,
  ]);
  return renderTable(rows, { width: style.width }).join('\n');
}
