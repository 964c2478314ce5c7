import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import {
  isMergedOrDropped,
  isTaskPlanTrusted,
  isTaskStateTrusted,
  isTrustedVerdict,
  TrustCache,
} from './filter-untrusted.ts';
import {
  listDecisionsInSession,
  toLeftNoteDecision,
  toObjectiveDecision,
  toSessionStateDecision,
} from './make-decisions.ts';

const whole = new TrustCache();

/** Whether this clone decided that a session ends, or a named signer. */
export function isEndDecidedHere(session: Session, decided: DecisionLog): boolean {
  return session.state === 'ended' && isSessionVersionOwn(session, decided);
}

/** Whether this clone wrote this version of a task's note last. */
export function isTaskVersionOwn(task: Task, decided: DecisionLog): boolean {
  return isTaskStateTrusted(task, decided) && (isMergedOrDropped(task) || isTaskPlanTrusted(task, decided));
}

/** True if this clone wrote this version of a session. */
export function isSessionVersionOwn(session: Session, decided: DecisionLog): boolean {
  return decided.has(toObjectiveDecision(session)) && decided.has(toSessionStateDecision(session));
}

/**
 * Whether this clone made every decision in a state, those of ended sessions included, and can read all of it. `decided`:
 * without signatures, which count only as long as their signer is named. Archived sessions are not looked at.
 */
export function isWholeStateOwn(snapshot: Snapshot, decided: DecisionLog): boolean {
  decided.refresh();
  const sessions = snapshot.sessions.filter(({ archived_at: at }) => at === undefined);
  return (
    sessions.every(({ machines }) => machines === undefined) &&
    sessions.every((session) =>
      whole.isSo(decided, session, () => listDecisionsInSession(session).every(decided.has)),
    ) &&
    sessions.every((session) => isContentOwn(session, snapshot, decided)) &&
    snapshot.problems.length === 0
  );
}

function isContentOwn({ id }: Session, snapshot: Snapshot, decided: DecisionLog): boolean {
  return (
    snapshot.tasksOf(id).every((task) => isTaskVersionOwn(task, decided)) &&
    snapshot.verdictsOf(id).every((verdict) => isTrustedVerdict(verdict, decided)) &&
    snapshot.blackboardOf(id).every((page) => page.notes.every((note) => decided.has(toLeftNoteDecision(page, note))))
  );
}
