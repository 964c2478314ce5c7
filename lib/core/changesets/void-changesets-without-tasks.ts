import type { Changeset } from '../../domain/state/changeset.ts';
import { isChangesetOpen } from '../../domain/state/changeset-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { readStackState } from '../task/stack-state.ts';

/**
 * A session in which no changeset is still to be decided or to land that holds a task which has left `done` (dropped,
 * say), or one whose ground is lost: such a one is void, as is what was built upon it, and what is left of them is
 * built again.
 */
export function voidChangesetsWithoutTasks(session: Session, tasks: readonly Task[]): Session {
  if (!session.changesets.some(isChangesetOpen)) return session;
  const byId = new Map<string, Task>(tasks.map((task) => [task.id, task]));
  const stackState = readStackState(tasks);
  const gone = new Map<string, Root>();
  const ownReason = ({ tasks: ids, works = [], state }: Changeset): string | undefined => {
    const members = ids.flatMap((id) => byId.get(id) ?? []);
    const left = members.find(({ status }) => status !== 'done');
    if (left !== undefined) return `${left.id} is ${left.status}`;
    const other = ids.find((id, at) => works[at] !== undefined && byId.get(id)?.commit !== works[at]);
    if (other !== undefined && byId.has(other)) return `${other} has a new commit`;
    for (const task of members) {
      // Approved changes land upon that in any shape: the person saw the difference to it.
      const [lost] = state === 'approved' ? stackState.gone(task) : stackState.lost(task);
      if (lost !== undefined) return `${task.id} is stacked on an earlier version of ${lost}`;
      if (stackState.waits(task)) return `${task.id} waits until its dependencies are done again`;
    }
    return undefined;
  };
  /** However far below that is, it alone is named. */
  const inherited = ({ depends_on: needed }: Changeset): Root | undefined => {
    const below = needed.find((group) => gone.has(group));
    return below === undefined ? undefined : gone.get(below);
  };
  // Those that others build upon come first.
  const changesets = session.changesets.map((changeset): Changeset => {
    if (!isChangesetOpen(changeset)) return changeset;
    const { group } = changeset;
    const own = ownReason(changeset);
    const root = own === undefined ? inherited(changeset) : { group, reason: own };
    if (root === undefined) return changeset;
    gone.set(group, root);
    const reason = own ?? `it is stacked on ${root.group}, where ${root.reason}`;
    return { ...changeset, state: 'void', reason, decided_by: null };
  });
  return gone.size === 0 ? session : { ...session, changesets };
}

/** A changeset that becomes void, with all that was built upon it, and why. */
interface Root {
  readonly group: string;
  readonly reason: string;
}
