import type { Config } from '../../domain/config/config.ts';
import { sessionBudget } from '../../domain/config/role-settings.ts';
import type { Reservation, Session } from '../../domain/state/session.ts';

export interface BudgetState {
  readonly unit: 'usd' | 'tokens';
  readonly spent: number;
  /** 0: unlimited. */
  readonly limit: number;
  readonly isSpent: boolean;
  readonly isNear: boolean;
}

/** Compares the spending of a session with its limit, raised by a person or not. */
export function budgetState(config: Config, session: Session): BudgetState {
  const { unit, limit: configured } = sessionBudget(config);
  const limit = configured === 0 ? 0 : (session.raised_limit ?? configured);
  const spent = presumed(session).reduce(
    (sum, one) => sum + (unit === 'tokens' ? one.tokens : one.cost_usd),
    unit === 'tokens' ? session.tokens : session.cost_usd,
  );
  const isNear = limit > 0 && spent >= limit * config.limits.warn_threshold;
  return { unit, spent, limit, isSpent: limit > 0 && spent >= limit, isNear };
}

/** Reservations of machines that are gone, which may have spent them. */
export function presumed({ reservations = [] }: Pick<Session, 'reservations'>): readonly Reservation[] {
  return reservations.filter((one) => one.presumed === true);
}
