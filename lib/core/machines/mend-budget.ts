import type { SeenBreach } from '../../domain/ports/sharing-port.ts';
import type { Reservation, Session } from '../../domain/state/session.ts';

/**
 * A session with what such steps took from its budget given back: what was set aside counts as spent until its machine
 * says how much it was, and nothing that was spent is less. So they leave nobody more to spend.
 */
export function mendBudget(session: Session, breaches: readonly SeenBreach[]): Session {
  return breaches.reduce((now, { breach, stood }) => {
    if (breach.kind !== 'budget' || stood?.kind !== 'session') return now;
    return mend(now, stood);
  }, session);
}

function mend(
  now: Session,
  { before, after }: { readonly before: Session; readonly after: Session },
): Session {
  const taken = takenAway(before, after).filter((one) => isOpen(now, one));
  const spent_on = largest(before.spent_on ?? {}, now.spent_on ?? {});
  const isRaised = (after.raised_limit ?? 0) > (before.raised_limit ?? 0);
  const next: Session = {
    ...now,
    cost_usd: Math.max(before.cost_usd, now.cost_usd),
    tokens: Math.max(before.tokens, now.tokens),
    ...(isRaised && now.raised_limit === after.raised_limit ? { raised_limit: before.raised_limit } : {}),
    ...(Object.keys(spent_on).length === 0 ? {} : { spent_on }),
    ...(taken.length === 0
      ? {}
      : {
          reservations: [
            ...(now.reservations ?? []).filter(({ agent }) => !taken.some((one) => one.agent === agent)),
            ...taken.map((one) => ({ ...one, presumed: true as const })),
          ],
        }),
  };
  return isSame(now, next) ? now : next;
}

/** What was set aside before such a step, and is not, or is less, after it. */
function takenAway(before: Session, after: Session): readonly Reservation[] {
  return (before.reservations ?? []).filter(
    (one) => !(after.reservations ?? []).some((left) => isAsMuch(left, one)),
  );
}

/** Whether it is still to be given back: its run was not booked, and nothing of as much stands there. */
function isOpen({ reservations = [], agents }: Session, one: Reservation): boolean {
  return !agents.some(({ id }) => id === one.agent) && !reservations.some((left) => isAsMuch(left, one));
}

function isAsMuch(left: Reservation, one: Reservation): boolean {
  return left.agent === one.agent && left.cost_usd >= one.cost_usd && left.tokens >= one.tokens;
}

type Spent = NonNullable<Session['spent_on']>;

function largest(a: Spent, b: Spent): Spent {
  const names = [...new Set([...Object.keys(b), ...Object.keys(a)])];
  const most = (name: string, key: 'cost_usd' | 'tokens'): number =>
    Math.max(a[name]?.[key] ?? 0, b[name]?.[key] ?? 0);
  return Object.fromEntries(
    names.map((name) => [name, { cost_usd: most(name, 'cost_usd'), tokens: most(name, 'tokens') }]),
  );
}

function isSame(a: Session, b: Session): boolean {
  const facts = ({ cost_usd, tokens, raised_limit, spent_on, reservations }: Session): string =>
    JSON.stringify([cost_usd, tokens, raised_limit, spent_on ?? {}, reservations ?? []]);
  return facts(a) === facts(b);
}
