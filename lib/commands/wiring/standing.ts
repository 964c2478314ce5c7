import { type HeededSession, heedDecisions } from '../../core/heed-decisions.ts';
import { listProposals } from '../../core/list-proposals.ts';
import type { Origins } from '../../domain/origins.ts';
import type { Session } from '../../domain/session.ts';
import type { Proposals } from '../../domain/status.ts';
import type { Snapshot } from '../../domain/store-port.ts';

/** A session as it counts in this clone, for commands that only read: which adapters are offered is not looked at. */
export function standingOf(snapshot: Snapshot, session: Session, origins: Origins): HeededSession {
  const tasks = snapshot.tasksOf(session.id);
  return heedDecisions({ session, tasks, snapshot }, { origins, isOffered: () => true });
}

/** Ids of changesets whose state another clone wrote: it does not count here. */
export function uncountedOf(stored: Session, heeded: Session): readonly string[] {
  const states = new Map(heeded.changesets.map(({ id, state }) => [id, state]));
  return stored.changesets.filter(({ id, state }) => states.get(id) !== state).map(({ id }) => id);
}

/** What of a session only another clone decided. */
export function proposalsOf(snapshot: Snapshot, session: Session, origins: Origins): Proposals {
  return listProposals(session, standingOf(snapshot, session, origins), snapshot);
}
