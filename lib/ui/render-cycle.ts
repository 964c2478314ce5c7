import type { SessionQuestion } from '../domain/gates.ts';
import { formatCount, formatSpend, formatUsd } from '../util/format-amount.ts';
import { renderTable } from '../util/table.ts';
import { renderSpend } from './render-spend.ts';
import type { Style } from './style.ts';

/** How a cycle ended: what was approved, went back or is stuck, and what it cost, by role. */
export function renderCycle(question: Pick<SessionQuestion, 'session' | 'summary'>, style: Style): string {
  const { session, summary } = question;
  const rows = [
    ['approved', formatCount(summary.approved, 'changeset')],
    ['requeued', formatCount(summary.requeued, 'task')],
    ['blocked', formatCount(summary.blocked, 'task')],
    ['open', formatCount(summary.open, 'task')],
    ['cost', formatSpend(session)],
    ...(session.estimate === null ? [] : [['estimated', formatUsd(session.estimate.base_usd)]]),
  ];
  return [
    style.bold(`Cycle ${session.cycle} is over.`),
    ...renderTable(rows, { width: style.width, indent: '  ' }),
    ...renderSpend(session, style, '    '),
  ].join('\n');
}
