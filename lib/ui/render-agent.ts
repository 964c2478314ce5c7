import type { LiveAgent } from '../domain/agent-port.ts';
import type { AgentRun } from '../domain/session.ts';
import { formatSpend } from '../util/format-amount.ts';
import { formatDuration, formatTime } from '../util/format-time.ts';
import { renderTable } from '../util/table.ts';
import type { Style } from './style.ts';
import { visibleLine } from './visible-text.ts';

/** An agent that runs, or one that ran: what it worked on, for how long and for how much. */
export function renderAgent(agent: AgentRun | LiveAgent, style: Style, now: Date): string {
  const hasEnded = 'ended_at' in agent;
  const end = hasEnded ? Date.parse(agent.ended_at) : now.getTime();
  const rows: readonly (readonly [string, string | null])[] = [
    ['role', agent.role],
    ['task', agent.task_id],
    ['model', hasEnded ? agent.model : null],
    ['pid', hasEnded ? null : String(agent.pid)],
    ['started', formatTime(agent.started_at)],
    [hasEnded ? 'took' : 'runs for', formatDuration(Math.max(0, end - Date.parse(agent.started_at)) || 0)],
    ['outcome', hasEnded ? agent.outcome : 'running'],
    ['cost', formatSpend(agent)],
  ];
  const shown = rows.flatMap(([name, value]) => (value === null ? [] : [[name, visibleLine(value)]]));
  return [
    style.bold(visibleLine(agent.id)),
    ...renderTable(shown, { width: style.width, indent: '  ' }),
  ].join('\n');
}
