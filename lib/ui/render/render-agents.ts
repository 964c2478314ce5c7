import type { RegisteredAgent } from '../../domain/ports/agent-port.ts';
import { formatDuration, formatSpend } from '../../util/format-figures.ts';
import { renderTable } from '../../util/table.ts';
import type { Style } from '../text/style.ts';
import { visibleLine } from '../text/visible-text.ts';

/** Running agents, one a line: who, on what, for how long, for how much, and what was last heard of it. */
export function renderAgents(agents: readonly RegisteredAgent[], style: Style, now: Date): string {
  if (agents.length === 0) return 'No agent is running.';
  const since = (iso: string): string => formatDuration(Math.max(0, now.getTime() - Date.parse(iso)) || 0);
  const rows = agents.map((agent) => [
    agent.id,
    agent.task_id ?? '-',
    `pid ${agent.pid}`,
    since(agent.started_at),
    formatSpend(agent),
    `${since(agent.last_activity_at)} ago${agent.activity === '' ? '' : `: ${visibleLine(agent.activity)}`}`,
  ]);
  return renderTable(rows, { width: style.width }).join('\n');
}
