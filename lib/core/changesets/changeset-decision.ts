import type { ObjectId, TaskId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { listChangesetsOfCycle } from '../schedule/next-action.ts';

const decided: readonly Changeset['state'][] = ['approved', 'rejected', 'skipped'];

/** The decisions of a session's cycle that a person can take back: nothing of what they are about has landed. */
export function listUndoableDecisions(session: Session): readonly Changeset[] {
  const current = listChangesetsOfCycle(session);
  return current.filter(
    (one) =>
      decided.includes(one.state) &&
      one.decided_by !== null &&
      !restOf(current, one).some(({ state }) => state === 'landed'),
  );
}

/**
 * The session in which a changeset waits again, as if nothing had been decided about it: what was put off because of it
 * waits too, and what was built of its rest is void.
 */
export function reopenChangesetDecision(session: Session, changeset: Changeset): Session {
  const { id, group, state } = changeset;
  const rest = restOf(listChangesetsOfCycle(session), changeset);
  const isInPart = rest.length > 0;
  const above = state === 'rejected' ? builtOn(session, group, isInPart ? open : ['deferred']) : [];
  const reason = `what was decided about ${id} was taken back`;
  const changesets = session.changesets.map((one): Changeset => {
    if (one.id === id) return asBuilt(one);
    if (rest.includes(one) || (isInPart && above.includes(one))) return { ...asBuilt(one), state: 'void', reason };
    return above.includes(one) ? asBuilt(one) : one;
  });
  return { ...session, changesets };
}

const open: readonly Changeset['state'][] = ['waiting', 'approved', 'deferred'];

/** Changesets built from the tasks that a partial rejection left. */
function restOf(current: readonly Changeset[], { id, tasks, rejected_tasks: part }: Changeset): readonly Changeset[] {
  if (part === undefined) return [];
  const left = tasks.filter((task) => !part.includes(task));
  return current.filter((one) => one.id !== id && one.tasks.some((task) => left.includes(task)));
}

/** Without anything a person said of it. */
function asBuilt({ rejected_tasks: _, remarks: __, message: ___, ...changeset }: Changeset): Changeset {
  return { ...changeset, state: 'waiting', reason: null, decided_by: null };
}

/**
 * Rejects a part of a changeset in its session, neither none nor all of its tasks: the changeset keeps its place as what
 * the person saw, and its other tasks can be merged again. Changesets built on it become void, since they stand on all
 * of it.
 */
export function rejectTasksOfChangeset(
  session: Session,
  { id, group }: Pick<Changeset, 'id' | 'group'>,
  { tasks, reason, by }: { readonly tasks: readonly TaskId[]; readonly reason: string; readonly by: string },
): Session {
  const words = `${tasks.join(', ')}: ${reason}`;
  const rejected = withChangesetState(session, [id], 'rejected', words, by);
  const marked = changeChangesets(rejected, [id], (one) => ({ ...one, rejected_tasks: [...tasks] }));
  const above = builtOn(marked, group, ['waiting']).map((one) => one.id);
  return withChangesetState(marked, above, 'void', `${group} is built again without ${tasks.join(', ')}`);
}

/** The changesets of the cycle in one of these states that build on a group, directly or through others of them. */
function builtOn(session: Session, group: string, states: readonly Changeset['state'][]): readonly Changeset[] {
  const groups = new Set([group]);
  const found: Changeset[] = [];
  // Those that others build upon come first.
  for (const one of listChangesetsOfCycle(session)) {
    if (!states.includes(one.state) || !one.depends_on.some((name) => groups.has(name))) continue;
    groups.add(one.group);
    found.push(one);
  }
  return found;
}

/** A session whose named changesets are in another state. */
export function withChangesetState(
  session: Session,
  ids: readonly string[],
  state: Changeset['state'],
  reason: string | null,
  by?: string,
): Session {
  return changeChangesets(session, ids, (one) => ({ ...one, state, reason, decided_by: by ?? one.decided_by }));
}

/** A session in which the changesets of these ids are changed. */
export function changeChangesets(
  session: Session,
  ids: readonly string[],
  change: (changeset: Changeset) => Changeset,
): Session {
  return { ...session, changesets: session.changesets.map((one) => (ids.includes(one.id) ? change(one) : one)) };
}

/** The session with what a person said of a changeset when they approved it, and nothing that was said of it before. */
export function withApprovalMessage(
  session: Session,
  id: string,
  { remarks, message }: { readonly remarks: readonly LineComment[]; readonly message: string | undefined },
): Session {
  const words = {
    ...(remarks.length === 0 ? {} : { remarks: [...remarks] }),
    ...(message === undefined ? {} : { message }),
  };
  return changeChangesets(session, [id], ({ remarks: _, message: __, ...changeset }) => ({ ...changeset, ...words }));
}

/** One that has landed, and as which commit. */
export type LandedChangeset = Changeset & { readonly landed_commit: ObjectId };

function hasLanded(changeset: Changeset): changeset is LandedChangeset {
  return changeset.state === 'landed' && changeset.landed_commit !== null;
}

/** The landed changeset of this id or group, the latest of the group; without a name the one that landed last. undefined: none. */
export function findLandedChangeset(
  { base_commit, changesets }: Pick<Session, 'base_commit' | 'changesets'>,
  name: string | null,
): LandedChangeset | undefined {
  const landed = changesets.filter(hasLanded);
  if (name !== null) return landed.find(({ id }) => id === name) ?? landed.findLast(({ group }) => group === name);
  // Those of one cycle landed in the order of what they need, which is not that of the list.
  return landed.find(({ landed_commit: commit }) => commit === base_commit) ?? landed.at(-1);
}

/** The session after a landing was taken back: that changeset is rejected, and one built on it is built again. */
export function withLandingReverted(
  session: Session,
  { id, landed_commit: commit }: LandedChangeset,
  { by, at, reason }: { readonly by: string; readonly at: string; readonly reason: string },
): Session {
  const undone = { commit, by, at };
  return changeChangesets(session, [id], ({ landed_onto: _, ...rest }) => {
    return { ...rest, state: 'rejected', reason, decided_by: by, landed_commit: null, undone };
  });
}
