import type { Session } from '../../domain/state/session.ts';
import { titleOf } from '../../domain/state/session-facts.ts';
import type { Task } from '../../domain/state/task.ts';
import { formatCount, formatSpend, formatTime } from '../../util/format-figures.ts';
import { renderTable } from '../../util/table.ts';
import type { Style } from '../text/style.ts';
import { visibleLine } from '../text/visible-text.ts';

interface ListedSession {
  readonly session: Session;
  readonly tasks: readonly Pick<Task, 'status'>[];
  readonly isCurrent: boolean;
}

/** Sessions as a table, in the order given; the current one is marked. */
export function renderSessions(sessions: readonly ListedSession[], style: Style): string {
  if (sessions.length === 0) return 'No session yet.';
  const rows = sessions.map(({ session, tasks, isCurrent }) => [
    `${isCurrent ? '*' : ' '} ${session.id}`,
    paintState(session, style),
    formatTime(session.created_at),
    session.archived_at === undefined ? countDone(tasks) : '',
    formatSpend(session),
    visibleLine(titleOf(session)),
  ]);
  return renderTable(rows, { width: style.width }).join('\n');
}

function paintState({ state, archived_at: archived }: Session, style: Style): string {
  if (archived !== undefined) return style.dim('archived');
  return state === 'ended' ? style.dim(state) : style.bold(state);
}

function countDone(tasks: ListedSession['tasks']): string {
  const wanted = tasks.filter(({ status }) => status !== 'dropped');
  const merged = wanted.filter(({ status }) => status === 'merged').length;
  return `${merged} of ${formatCount(wanted.length, 'task')} merged`;
}
