import type { Session } from '../../domain/state/session.ts';

const mostNotes = 20;

/**
 * The session whose plan, where one waited, is sent back with these notes: the next planner reads all of
 * them.
 */
export function sendBack(session: Session, notes: string): Session {
  const said = [...(session.sent_back?.notes ?? []), notes].slice(-mostNotes);
  return {
    ...session,
    proposal: null,
    replan_notes: notes,
    sent_back: { notes: said, plan: session.proposal },
  };
}
