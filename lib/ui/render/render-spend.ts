import { agentRoles } from '../../domain/role.ts';
import type { SpendingApart } from '../../domain/shown/status.ts';
import type { Session } from '../../domain/state/session.ts';
import { formatCount, formatSpend, formatUsd } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { renderTable } from '../../util/table.ts';
import type { Style } from '../text/style.ts';
import { visibleLine } from '../text/visible-text.ts';

/** Renders each role's cost, retries included, beside its estimate. */
export function renderSpend(
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
export function renderSpendingApart(
  { spent_by_machine: byMachine = {}, presumed_spent: counted }: SpendingApart,
  { width }: Style,
  indent: string,
): readonly string[] {
  const each = Object.entries(byMachine).map(([name, spent]) => `${visibleLine(name)} ${formatSpend(spent)}`);
  const parts = [
    ...(each.length === 0 ? [] : [`by machine: ${each.join(', ')}`]),
    ...(counted === undefined
      ? []
      : [
          `counts as spent too: ${formatSpend(counted)}, which ${counted.machines.map(visibleLine).join(', ')} had set aside and may have spent`,
        ]),
  ];
  return parts.length === 0 ? [] : wrapText(parts.join('; '), width, indent);
}
