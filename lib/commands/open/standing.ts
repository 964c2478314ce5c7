import { type HeededSession, heedDecisions } from '../../core/admission/filter-untrusted.ts';
import type { SessionLook } from '../../domain/ports/store-port.ts';
import type { Origins } from '../../domain/state/origins.ts';
import type { Session } from '../../domain/state/session.ts';

/** A session as it counts in this clone, for commands that only read: which adapters are offered is not looked at. */
export function standingOf(
  snapshot: Pick<SessionLook, 'tasksOf' | 'verdictsOn'>,
  session: Session,
  origins: Origins,
): HeededSession {
  const tasks = snapshot.tasksOf(session.id);
  return heedDecisions({ session, tasks, snapshot }, { origins, isOffered: () => true });
}

/** Ids of changesets whose state another clone wrote: it does not count here. */
export function uncountedOf(stored: Session, heeded: Session): readonly string[] {
  const states = new Map(heeded.changesets.map(({ id, state }) => [id, state]));
  return stored.changesets.filter(({ id, state }) => states.get(id) !== state).map(({ id }) => id);
}
