import type { ObjectId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { DeferredTask } from '../schedule/pick-batch.ts';
import { compareByPriority } from '../schedule/sort-by-needs.ts';
import { listNeededTasks } from '../task/stack-state.ts';
import { groupByCohesion, sortTasksByDependency } from './cohesion-groups.ts';

/** A changeset to build. */
export interface ChangesetToBuild {
  /**
   * The cohesion group; groups that depend on each other in a circle go together as `a+b`, and of those that were only
   * built on each other's work each comes in several parts, `a` and `a-2`.
   */
  readonly group: string;
  /** In the order to merge them: dependencies first, then priority, then id. */
  readonly tasks: readonly Task[];
  /** Tasks of the group that aren't in it and are neither merged nor dropped, by priority and id. */
  readonly missing: readonly Task[];
  /** Groups of this list whose work it builds on; they come before it. */
  readonly dependsOn: readonly string[];
}

/**
 * One changeset per cohesion group from the tasks that passed validation, in the order to show and land
 * them. A task that needs one neither merged nor in a changeset stays out, and so does what needs it:
 * `waiting` says why.
 */
export function listChangesetsToBuild(tasks: readonly Task[]): {
  readonly changesets: readonly ChangesetToBuild[];
  readonly waiting: readonly DeferredTask<Task>[];
} {
  const passed = tasks.filter((task) => task.status === 'done' && task.result.status === 'pass');
  const { included, waiting } = leaveOutUnfounded(passed, tasks);
  const inSome = new Set(included);
  const changesets = groupByCohesion(included).map(({ group, cohesionGroups: names, tasks: members, dependsOn }) => ({
    group,
    tasks: sortTasksByDependency(members),
    missing: tasks
      .filter((task) => names.includes(task.cohesion_group) && !inSome.has(task) && isOpen(task))
      .sort(compareByPriority),
    dependsOn,
  }));
  return { changesets, waiting };
}

function leaveOutUnfounded(
  passed: readonly Task[],
  all: readonly Task[],
): { readonly included: readonly Task[]; readonly waiting: readonly DeferredTask<Task>[] } {
  const byId = new Map<string, Task>(all.map((task) => [task.id, task]));
  const included = new Map<string, Task>(passed.map((task) => [task.id, task]));
  const waiting: DeferredTask<Task>[] = [];
  // In dependency order, one pass sees every reason before what follows from it.
  for (const task of sortTasksByDependency(passed)) {
    const missing = listNeededTasks(task).find((id) => byId.get(id)?.status !== 'merged' && !included.has(id));
    if (missing === undefined) continue;
    included.delete(task.id);
    waiting.push({ task, because: `needs ${missing}, which ${describeState(byId.get(missing))}` });
  }
  return { included: [...included.values()], waiting };
}

function describeState(task: Task | undefined): string {
  if (task === undefined) return "doesn't exist";
  if (task.status !== 'done') return `is ${task.status}`;
  if (task.result.status === 'pass') return 'is waiting itself';
  return task.result.status === 'fail' ? 'failed validation' : 'has no verdict yet';
}

function isOpen(task: Task): boolean {
  return task.status !== 'merged' && task.status !== 'dropped';
}

interface Built {
  readonly group: string;
  readonly works: readonly ObjectId[];
}

/**
 * The message a person gave a changeset when they approved it, for the one that is built again of the same work since
 * its base moved; null: there is none. `isOurs`: whether it was written here.
 */
export function findMessageToKeep(
  { changesets }: Session,
  { group, works }: Built,
  isOurs: (changeset: Changeset) => boolean,
): string | null {
  const same = changesets.filter(
    (one) => one.group === group && one.state === 'void' && one.works.join() === works.join(),
  );
  const before = same.at(-1);
  return before?.message !== undefined && isOurs(before) ? before.message : null;
}
