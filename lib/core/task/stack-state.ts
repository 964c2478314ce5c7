import type { TaskId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { addToListOfKey, compareText } from '../../util/sort-and-group.ts';

/** Fields that name the work a task needs. */
export interface NeededWorkFields {
  readonly dependencies: readonly TaskId[];
  readonly built_on?: readonly { readonly task: TaskId }[] | undefined;
}

/** The tasks whose work a task's own cannot land without: those it depends on, and those it was built on. */
export function listNeededTasks({ dependencies, built_on: builtOn = [] }: NeededWorkFields): readonly TaskId[] {
  return [...new Set([...dependencies, ...builtOn.map(({ task }) => task)])];
}

/** How finished work stands among the tasks of its session. */
export interface StackState {
  /**
   * Whether it waits: a task it depends on is being done again, or waits so itself. Its work is kept until then, and
   * nothing is built on it.
   */
  waits(task: Pick<Task, 'id'>): boolean;
  /**
   * The work that a finished task was built on and that is not accepted any more: its task was sent back, failed,
   * dropped or waits, or its own work is another commit by now, also by how it landed. A task that is in no list says nothing: it may only
   * have been received.
   */
  lost(task: Task): readonly TaskId[];
  /** Those of them that are not on the branch either: works that landed as another commit are left out. */
  gone(task: Task): readonly TaskId[];
}

type Built = NonNullable<Task['built_on']>[number];

/** Follows from the notes alone. */
export function readStackState(tasks: readonly Task[]): StackState {
  const byId = new Map<string, Task>(tasks.map((task) => [task.id, task]));
  const waiting = waitingWork(tasks, byId);
  const isLost = (id: TaskId, commit: string): boolean => {
    const below = byId.get(id);
    return below !== undefined && (waiting.has(id) || !isAccepted(below, commit));
  };
  const lostOf = ({ status, built_on: builtOn = [] }: Task): readonly Built[] =>
    status === 'done' ? builtOn.filter(({ task, commit }) => isLost(task, commit)) : [];
  return {
    waits: ({ id }) => waiting.has(id),
    lost: (task) => lostOf(task).map((below) => below.task),
    gone: (task) =>
      lostOf(task).flatMap((below) => (hasLanded(byId.get(below.task), below.commit) ? [] : [below.task])),
  };
}

/**
 * Finished tasks that stand on lost ground and can be put on what remains: those that wait can't yet. What is approved of
 * the current changesets lands on what only landed as another commit: what was shown is the difference to that.
 */
export function listTasksToRebase(tasks: readonly Task[], current: readonly Changeset[] = []): readonly Task[] {
  if (!tasks.some(({ built_on }) => built_on !== undefined)) return [];
  const stackState = readStackState(tasks);
  const isApproved = ({ state }: Changeset): boolean => state === 'approved';
  const landing = new Set<string>(current.filter(isApproved).flatMap((one) => one.tasks));
  const missed = (task: Task): readonly TaskId[] =>
    landing.has(task.id) ? stackState.gone(task) : stackState.lost(task);
  return tasks.filter((task) => !stackState.waits(task) && missed(task).length > 0);
}

/** Whether the work of one is in that of another, as its note says, and those below it. */
export function isTaskBuiltOnTask(task: Task, { id, commit }: Task, byId: ReadonlyMap<string, Task>): boolean {
  const seen = new Set<string>();
  const open = [task];
  for (const { built_on: builtOn = [] } of open)
    for (const below of builtOn) {
      if (below.task === id && below.commit === commit) return true;
      const next = byId.get(below.task);
      if (next?.commit !== below.commit || seen.has(next.id)) continue;
      seen.add(next.id);
      open.push(next);
    }
  return false;
}

function waitingWork(tasks: readonly Task[], byId: ReadonlyMap<string, Task>): ReadonlySet<string> {
  const done = tasks.filter(({ status }) => status === 'done');
  const first = done.filter(({ dependencies }) => dependencies.some((id) => isBeingRedone(byId.get(id))));
  const ids = first.map(({ id }) => id);
  return new Set<string>(ids.length === 0 ? ids : [...ids, ...findTransitiveDependents(done, ids).keys()]);
}

function isBeingRedone(task: Task | undefined): boolean {
  return task !== undefined && task.status !== 'done' && task.status !== 'merged';
}

function hasLanded(task: Task | undefined, expected: string): boolean {
  return task?.status === 'merged' && task.commit === expected;
}

function isAccepted({ status, commit, landed_as: as }: Task, expected: string): boolean {
  return (status === 'done' || (status === 'merged' && as === undefined)) && commit === expected;
}

type Linked = Pick<Task, 'id' | 'status' | 'dependencies'>;

/**
 * For each task that needs one of `ids`, directly or through others, the dependency through which it does
 * (the nearest). A merged task passes nothing on: its work is on the base. The given ids are not in the answer.
 */
export function findTransitiveDependents(
  tasks: readonly Linked[],
  ids: readonly string[],
): ReadonlyMap<string, string> {
  const dependents = groupByDependency(tasks);
  const given = new Set(ids);
  const through = new Map<string, string>();
  const reached = [...given].sort(compareText);
  // Grows while it's walked: breadth first.
  for (const id of reached) {
    for (const dependent of dependents.get(id) ?? []) {
      if (through.has(dependent) || given.has(dependent)) continue;
      through.set(dependent, id);
      reached.push(dependent);
    }
  }
  return through;
}

function groupByDependency(tasks: readonly Linked[]): ReadonlyMap<string, readonly string[]> {
  const dependents = new Map<string, string[]>();
  for (const task of [...tasks].sort((a, b) => compareText(a.id, b.id))) {
    if (task.status === 'merged') continue;
    for (const id of task.dependencies) addToListOfKey(dependents, id, task.id);
  }
  return dependents;
}
