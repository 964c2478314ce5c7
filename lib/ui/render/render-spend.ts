import { roleSchema } from '../../domain/role.ts';
import type { Session } from '../../domain/state/session.ts';
import { formatCount, formatSpend, formatUsd } from '../../util/format-amount.ts';
import { renderTable } from '../../util/table.ts';
import type { Style } from '../text/style.ts';

/** What each role cost, retries included, beside what was estimated for it before. */
export function renderSpend(
  { spend, estimate }: Pick<Session, 'spend' | 'estimate'>,
  style: Style,
  indent: string,
): readonly string[] {
  const rows = roleSchema.options.flatMap((role) => {
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
