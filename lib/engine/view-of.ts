import { type HeededSession, heedDecisions, heedVerdicts } from '../core/admission/filter-untrusted.ts';
import { SinceDecided } from '../core/admission/since-decided.ts';
import { voidWithdrawn } from '../core/changesets/void-withdrawn.ts';
import { isOffered } from '../domain/config/role-settings.ts';
import type { SessionId } from '../domain/ids.ts';
import { noSession } from '../domain/not-found.ts';
import type { Snapshot } from '../domain/ports/store-port.ts';
import type { BlackboardPage } from '../domain/state/blackboard.ts';
import type { Session } from '../domain/state/session.ts';
import type { Workshop } from './workshop.ts';

/** A session and its tasks at one moment, without what only another clone decided; see heedDecisions. */
export interface SessionView extends HeededSession {
  readonly snapshot: Snapshot;
  /** What was left for later tasks, by whatever clone; `snapshot` has what counts here. */
  readonly pages: () => readonly BlackboardPage[];
  /** The session as it is stored, but for changesets of withdrawn work: those are void. */
  readonly stored: Session;
}

interface KeptView extends Pick<Workshop, 'config'> {
  readonly id: SessionId;
  readonly view: SessionView;
}

/** Who goes on where nothing has changed asks again and again. */
const views = new SinceDecided<Snapshot, KeptView>();

/** What a snapshot shows of a session. Throws FlameError `no-session`. */
export function viewOf(
  { config, origins }: Pick<Workshop, 'config' | 'origins'>,
  snapshot: Snapshot,
  id: SessionId,
): SessionView {
  const kept = views.get(snapshot, origins);
  if (kept?.id === id && kept.config === config) return kept.view;
  const view = makeView({ config, origins }, snapshot, id);
  views.keep(snapshot, origins, { id, config, view });
  return view;
}

function makeView(
  { config, origins }: Pick<Workshop, 'config' | 'origins'>,
  snapshot: Snapshot,
  id: SessionId,
): SessionView {
  const stored = snapshot.sessions.find((candidate) => candidate.id === id);
  if (stored === undefined) throw noSession(id, ['git flame status']);
  const tasks = snapshot.tasksOf(id);
  const isHere = (adapter: string): boolean => isOffered(config, 'worker', adapter);
  const heeding = { origins, isOffered: isHere };
  const heeded = heedDecisions({ session: stored, tasks, snapshot }, heeding);
  // Who writes the session writes that too: what was void stays so when its group is built again.
  return {
    ...heeded,
    pages: () => snapshot.blackboardOf(id),
    stored: voidWithdrawn(stored, tasks),
    snapshot: heedVerdicts(snapshot, origins),
  };
}
