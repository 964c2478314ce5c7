import { agentRoles } from '../../domain/role.ts';
import { deriveSessionTitle } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { SpendingBreakdown } from '../../domain/view-models/status-view.ts';
import { formatCount, formatSpend, formatTime, formatUsd } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { renderTable } from '../../util/table.ts';
import { toPrintableLine, toPrintableText } from '../text/printable-text.ts';
import { renderIndentedTable, renderSection } from '../text/sections.ts';
import type { Style } from '../text/style.ts';

/** Renders what the status leaves out of a session: who began it and when, each decision, and each role's cost. */
export function renderSession(session: Session, style: Style): readonly string[] {
  const { estimate, gates, created_at, created_by, updated_at, replan_notes } = session;
  const facts = [
    ['started', `${formatTime(created_at)} by ${toPrintableLine(created_by)}`],
    ['updated', formatTime(updated_at)],
    ['configuration', toPrintableLine(session.config_digest)],
    ...(estimate === null
      ? []
      : [['estimated', `${formatUsd(estimate.base_usd)}, with every retry ${formatUsd(estimate.with_retries_usd)}`]]),
  ];
  const spend = renderRoleSpending(session, style, '  ');
  const decisions = gates.map(({ gate, decision, by, at, where = '' }) => [
    formatTime(at),
    toPrintableLine(gate),
    toPrintableLine(decision),
    toPrintableLine(by),
    toPrintableLine(where),
  ]);
  return [
    ...renderSection('Session', renderIndentedTable(facts, style), style),
    ...renderSection('Cost by role', spend, style),
    ...renderSection('Decisions', renderIndentedTable(decisions, style), style),
    ...renderSection(
      'Notes for the next plan',
      replan_notes === null ? [] : wrapText(toPrintableText(replan_notes), style.width, '  '),
      style,
    ),
  ];
}

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
    toPrintableLine(deriveSessionTitle(session)),
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
  return `${merged} of ${formatCount(wanted.length, 'task')} landed`;
}

/** Renders each role's cost, retries included, beside its estimate. */
export function renderRoleSpending(
  { spend, estimate }: Pick<Session, 'spend' | 'estimate'>,
  style: Style,
  indent: string,
): readonly string[] {
  const rows = agentRoles.flatMap((role) => {
    const [one, expected] = [spend[role], estimate?.roles?.[role]];
    const isExpected = expected !== undefined && expected.runs > 0;
    if ((one?.runs ?? 0) === 0 && !isExpected) return [];
    const { runs, ...cost } = one ?? { runs: 0, cost_usd: 0, tokens: 0 };
    const estimated = isExpected
      ? `estimated ${formatUsd(expected.runs * expected.agent_usd)} for ${formatCount(expected.runs, 'run')}`
      : '';
    return [[role, formatCount(runs, 'run'), formatSpend(cost), estimated]];
  });
  return renderTable(rows, { width: style.width, indent });
}

/** One line for what the sum doesn't say: who spent it, and what counts as spent beside it; none where there is neither. */
export function renderSpendingBreakdown(
  { spent_by_machine: byMachine = {}, presumed_spent: counted }: SpendingBreakdown,
  { width }: Style,
  indent: string,
): readonly string[] {
  const each = Object.entries(byMachine).map(([name, spent]) => `${toPrintableLine(name)} ${formatSpend(spent)}`);
  const parts = [
    ...(each.length === 0 ? [] : [`by machine: ${each.join(', ')}`]),
    ...(counted === undefined
      ? []
      : [
          `also counted as spent: ${formatSpend(counted)}, which ${counted.machines.map(toPrintableLine).join(', ')} had reserved and may have spent`,
        ]),
  ];
  return parts.length === 0 ? [] : wrapText(parts.join('; '), width, indent);
}
