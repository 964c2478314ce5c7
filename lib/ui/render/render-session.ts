import type { Session } from '../../domain/state/session.ts';
import { formatTime, formatUsd } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { renderTable } from '../../util/table.ts';
import type { Style } from '../text/style.ts';
import { visibleLine, visibleText } from '../text/visible-text.ts';
import { renderSpend } from './render-spend.ts';

/** Renders what the status leaves out of a session: who began it and when, each decision, and each role's cost. */
export function renderSession(session: Session, style: Style): readonly string[] {
  const { estimate, gates, created_at, created_by, updated_at, replan_notes } = session;
  const facts = [
    ['begun', `${formatTime(created_at)} by ${visibleLine(created_by)}`],
    ['changed', formatTime(updated_at)],
    ['configuration', visibleLine(session.config_digest)],
    ...(estimate === null
      ? []
      : [
          [
            'estimated',
            `${formatUsd(estimate.base_usd)}, with every retry ${formatUsd(estimate.with_retries_usd)}`,
          ],
        ]),
  ];
  const spend = renderSpend(session, style, '  ');
  const decisions = gates.map(({ gate, decision, by, at, where = '' }) => [
    formatTime(at),
    visibleLine(gate),
    visibleLine(decision),
    visibleLine(by),
    visibleLine(where),
  ]);
  return [
    ...section('Session', renderTable(facts, { width: style.width, indent: '  ' }), style),
    ...section('Cost by role', spend, style),
    ...section('Decisions', renderTable(decisions, { width: style.width, indent: '  ' }), style),
    ...section(
      'Wanted of the next plan',
      replan_notes === null ? [] : wrapText(visibleText(replan_notes), style.width, '  '),
      style,
    ),
  ];
}

function section(title: string, lines: readonly string[], style: Style): readonly string[] {
  return lines.length === 0 ? [] : ['', style.bold(title), ...lines];
}
