import type { TaskId } from '../../domain/ids.ts';
import type { Changeset, GroupPullRequest } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { listNeededTasks } from '../task/stack-state.ts';

/**
 * The changesets of a session's cycle as a person looks at them, in their order: void ones too where their work is done
 * and in no other one yet, since they are built again.
 */
export function listChangesetsToShow(
  { cycle, changesets }: Pick<Session, 'cycle' | 'changesets'>,
  tasks: readonly Pick<Task, 'id' | 'status'>[],
): readonly Changeset[] {
  const current = changesets.filter(({ id }) => id.startsWith(`${cycle}-`));
  const taken = new Set<string>(
    current.filter(({ state }) => state !== 'void').flatMap((changeset) => changeset.tasks),
  );
  const open = new Set<string>(
    tasks.filter(({ id, status }) => status === 'done' && !taken.has(id)).map(({ id }) => id),
  );
  const isLast = (changeset: Changeset): boolean =>
    current.findLast(({ group }) => group === changeset.group) === changeset;
  return current.filter(
    (changeset) => changeset.state !== 'void' || (isLast(changeset) && changeset.tasks.some((id) => open.has(id))),
  );
}

/** A landed changeset, with the group whose pull request shows it and the groups that it stands on. */
export interface PullRequestChangeset {
  readonly changeset: Changeset;
  readonly group: string;
  readonly on: readonly string[];
}

/** Sorts landed changesets, each after those it stands on. A revert is shown with the landing it takes back. */
export function sortByPullRequestOrder(
  changesets: readonly Changeset[],
  tasks: readonly Task[],
): readonly PullRequestChangeset[] {
  const byId = new Map<TaskId, Task>(tasks.map((task) => [task.id, task]));
  const landed = changesets.filter(({ state }) => state === 'landed');
  const groupOf = (changeset: Changeset): string => {
    const back = changeset.tasks.flatMap((id) => byId.get(id)?.takes_back?.changeset ?? [])[0];
    return changesets.find(({ id }) => id === back)?.group ?? changeset.group;
  };
  const holderOf = (task: TaskId): Changeset | undefined => landed.find((one) => one.tasks.includes(task));
  const onOf = (changeset: Changeset): readonly string[] => {
    const needed = changeset.tasks.flatMap((id) => {
      const task = byId.get(id);
      return task === undefined ? [] : listNeededTasks(task).flatMap((need) => holderOf(need) ?? []);
    });
    const named = landed.filter(({ group }) => changeset.depends_on.includes(group));
    const groups = new Set([...named, ...needed].map(groupOf));
    groups.delete(groupOf(changeset));
    return [...groups];
  };
  const shown = landed.map((changeset) => ({
    changeset,
    group: groupOf(changeset),
    on: onOf(changeset),
  }));
  return sorted(shown);
}

/** Those of one cycle that stand on others of it come after them; a circle keeps the order given. */
function sorted(shown: readonly PullRequestChangeset[]): readonly PullRequestChangeset[] {
  const order: PullRequestChangeset[] = [];
  const seen = new Set<PullRequestChangeset>();
  const visit = (one: PullRequestChangeset): void => {
    if (seen.has(one)) return;
    seen.add(one);
    const isBelow = ({ changeset: { id, group } }: PullRequestChangeset): boolean =>
      one.changeset.depends_on.includes(group) && cycleOf(id) === cycleOf(one.changeset.id);
    for (const below of shown.filter(isBelow)) visit(below);
    order.push(one);
  };
  for (const one of shown) visit(one);
  return order;
}

/** The cycle in an id of the form `<cycle>-<group>`. */
function cycleOf(id: string): string {
  return id.slice(0, id.indexOf('-'));
}

/** True if a group's branch stands on another's, directly or through others. */
export function isGroupBuiltOnGroup(requests: readonly GroupPullRequest[], upper: string, lower: string): boolean {
  const seen = new Set([upper]);
  for (const group of seen) for (const below of requests.find((one) => one.group === group)?.on ?? []) seen.add(below);
  return upper !== lower && seen.has(lower);
}
