import type { BudgetState } from '../core/budget-state.ts';
import type { SessionId } from '../domain/ids.ts';
import type { Session } from '../domain/session.ts';
import { record } from './record.ts';
import { timestamp, type Workshop } from './workshop.ts';

/** The session's budget is spent: a person raises it (true) or stops the session (false). */
export async function askForBudget(
  workshop: Workshop,
  id: SessionId,
  { spent, limit, unit }: BudgetState,
): Promise<boolean> {
  const decision = await workshop.gates.budget({ spent, limit, unit });
  const isRaised = decision.kind === 'raise';
  const told = isRaised ? `raised by ${decision.amount}` : 'stop';
  workshop.events.emit({ event: 'gate', gate: 'budget', decision: told });
  await record(workshop, id, ({ session: now }) => {
    const raised = isRaised ? { raised_limit: limit + decision.amount } : { state: 'stopped' as const };
    const next: Session = { ...withGate(now, 'budget', told, workshop), ...raised };
    return { session: { next, subject: `session: budget ${told}` } };
  });
  return isRaised;
}

/** A session with a gate's decision noted. */
export function withGate(session: Session, gate: string, decision: string, workshop: Workshop): Session {
  return {
    ...session,
    gates: [...session.gates, { gate, decision, by: workshop.gates.person, at: timestamp(workshop) }].slice(
      -200,
    ),
  };
}
