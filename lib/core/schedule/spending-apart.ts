import type { SpendingApart } from '../../domain/shown/status.ts';
import type { Session } from '../../domain/state/session.ts';
import { presumed } from './budget-state.ts';

/** Parts of a session's spending beside the sum of its costs: who spent it, and what counts as spent. Both are rare. */
export function spendingApart(session: Session): SpendingApart {
  const { spent_on: spentOn = {} } = session;
  const gone = presumed(session);
  const sum = (unit: 'cost_usd' | 'tokens'): number => gone.reduce((total, one) => total + one[unit], 0);
  const machines = [...new Set(gone.map(({ machine }) => machine))];
  const counted = { cost_usd: sum('cost_usd'), tokens: sum('tokens') };
  return {
    ...(Object.keys(spentOn).length < 2 ? {} : { spent_by_machine: spentOn }),
    ...(counted.cost_usd + counted.tokens === 0 ? {} : { presumed_spent: { ...counted, machines } }),
  };
}
