import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { Doubt } from '../../domain/state/doubt.ts';
import type { Decision } from '../../domain/state/origins.ts';
import type { Session } from '../../domain/state/session.ts';
import { courseDecision, landedDecision, sessionDecision, standingDecision } from './decisions.ts';

/** A session as this clone left it: what it is for, where it stands, and which of its changesets have landed. */
export function restoreCourse(
  said: Session,
  { last, seen }: { readonly last: Session; readonly seen: Session },
): Session {
  const { objective, base_branch, landing, cycle, wave, state, replans, proposal } = last;
  const { landing: _, ...rest } = said;
  const lands = landing === undefined ? {} : { landing };
  return {
    ...{ ...rest, ...lands, changesets: seen.changesets },
    ...{ objective, base_branch, cycle, wave, state, replans, proposal },
  };
}

/** The person's word that what another clone says has ended has, exactly as it is said. */
export function acceptDecisions(said: Snapshot, doubts: readonly Doubt[]): readonly Decision[] {
  return doubts.flatMap(({ session: id, about }): readonly Decision[] => {
    const session = said.sessions.find((one) => one.id === id);
    if (session === undefined) return [];
    if (about === '') return [sessionDecision(session), courseDecision(session)];
    const task = said.tasksOf(session.id).find((one) => one.id === about);
    if (task !== undefined) return [standingDecision(task)];
    return session.changesets.filter((one) => one.id === about).map((one) => landedDecision(session, one));
  });
}
