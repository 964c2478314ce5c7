import type { Reservation, Session } from '../../domain/state/session.ts';

interface Wanted {
  /** The session's own limit, raised or not; 0: unlimited. */
  readonly limit: number;
  readonly unit: 'usd' | 'tokens';
  /** Most the agent may spend, in that unit. */
  readonly most: number;
  readonly agent: string;
  readonly machine: string;
  /** Most that all agents of this machine may spend in this session, in that unit; 0 or absent: no limit. */
  readonly mostHere?: number;
}

// With less, an agent's first request would be refused.
const least = { usd: 0.01, tokens: 1 };

/**
 * Reserves an agent's share of the limit of its session, in the unit of that, before the agent may spend any of it;
 * null: the spending and reservations of all machines leave nothing. So all machines together never pass the limit.
 */
export function reserveShare(
  session: Session,
  { limit, unit, most, agent, machine, mostHere = 0 }: Wanted,
): { readonly session: Session; readonly share: number; readonly isCut: boolean } | null {
  const others = (session.reservations ?? []).filter((one) => one.agent !== agent);
  const inUnit = ({ cost_usd, tokens }: Pick<Reservation, 'cost_usd' | 'tokens'>): number =>
    unit === 'usd' ? cost_usd : tokens;
  const inAll = others.reduce((rest, one) => rest - inUnit(one), limit - inUnit(session));
  const left =
    mostHere === 0
      ? inAll
      : Math.min(inAll, mostHere - spentHere({ ...session, reservations: others }, machine, unit));
  if (left < least[unit]) return null;
  const share = Math.min(most, left);
  const own = {
    agent,
    machine,
    cost_usd: 0,
    tokens: 0,
    ...(unit === 'usd' ? { cost_usd: share } : { tokens: Math.floor(share) }),
  };
  return { session: { ...session, reservations: [...others, own] }, share: inUnit(own), isCut: share < most };
}

/** Sums the spending and reservations of a machine's agents in a session, in one unit. */
export function spentHere(
  { spent_on: spent = {}, reservations = [] }: Pick<Session, 'spent_on' | 'reservations'>,
  machine: string,
  unit: 'usd' | 'tokens',
): number {
  const own = [spent[machine], ...reservations.filter((one) => one.machine === machine)];
  return own.reduce((sum, one) => sum + ((unit === 'usd' ? one?.cost_usd : one?.tokens) ?? 0), 0);
}

/** A session in which what these agents had set aside counts as spent, until their clone says what they spent. */
export function presumeSpent(session: Session, isGone: (one: Reservation) => boolean): Session {
  const { reservations = [] } = session;
  const isNew = (one: Reservation): boolean => one.presumed !== true && isGone(one);
  if (!reservations.some(isNew)) return session;
  return {
    ...session,
    reservations: reservations.map((one) => (isNew(one) ? { ...one, presumed: true as const } : one)),
  };
}

/** A session without what these agents had set aside. */
export function withoutReservations(session: Session, isOver: (one: Reservation) => boolean): Session {
  const { reservations = [], ...rest } = session;
  const left = reservations.filter((one) => !isOver(one));
  if (left.length === reservations.length) return session;
  return left.length === 0 ? rest : { ...rest, reservations: left };
}
