import type { BudgetState } from '../../core/schedule/budget-state.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Placed } from '../../domain/ports/gates.ts';
import type { Session } from '../../domain/state/session.ts';
import { type Recorder, record } from '../record.ts';
import { timestamp, type Workshop } from '../workshop.ts';

/** The session's budget is spent: a person raises it (true) or stops the session (false). */
export async function askForBudget(
  workshop: Recorder,
  id: SessionId,
  { spent, limit, unit }: BudgetState,
): Promise<boolean> {
  const decision = await workshop.gates.budget({ spent, limit, unit });
  if (decision.kind === 'raise') requireAmount(decision.amount);
  const isRaised = decision.kind === 'raise';
  const told = isRaised ? `raised by ${decision.amount}` : 'stop';
  workshop.events.emit({ event: 'gate', gate: 'budget', decision: told });
  await record(workshop, id, ({ session: now }) => {
    const raised = isRaised ? { raised_limit: limit + decision.amount } : { state: 'stopped' as const };
    const next: Session = {
      ...withGate(now, { gate: 'budget', decision: told }, decision, workshop),
      ...raised,
    };
    return { session: { next, subject: `session: budget ${told}` } };
  });
  return isRaised;
}

/** Something that is no amount, or takes from the limit, would be no limit any more, or never reached again. */
function requireAmount(amount: number): void {
  if (Number.isFinite(amount) && amount > 0) return;
  throw new FlameError({
    kind: 'refused',
    code: 'bad-raise',
    message: `The limit can't be raised by ${amount}: it takes an amount above 0.`,
    hints: ['git flame run'],
  });
}

/** A session with a gate's decision noted, and where it was taken. */
export function withGate(
  session: Session,
  told: { readonly gate: string; readonly decision: string },
  { where }: Placed<unknown>,
  workshop: Pick<Workshop, 'gates' | 'now'>,
): Session {
  const place = where === undefined ? {} : { where };
  const noted = { ...told, by: workshop.gates.person, at: timestamp(workshop), ...place };
  return { ...session, gates: [...session.gates, noted].slice(-200) };
}
