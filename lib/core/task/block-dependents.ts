import type { Task } from '../../domain/state/task-schema.ts';
import { compareText } from '../../util/sort-and-group.ts';
import { findTransitiveDependents, isTaskBuiltOnTask } from './stack-state.ts';
import { blockTask, requeueTask } from './task-outcome.ts';
import type { TaskChange } from './task-state.ts';

/**
 * Blocks what can't run any more because a task failed for good or was dropped: exactly its transitive
 * dependents that are pending or requeued, by id, each with the reason.
 */
export function blockDependents(tasks: readonly Task[], failedId: string, reason: string): readonly TaskChange[] {
  const through = findTransitiveDependents(tasks, [failedId]);
  return [...tasks]
    .sort((a, b) => compareText(a.id, b.id))
    .filter(({ status }) => status === 'pending' || status === 'requeued')
    .flatMap((task) => {
      const dependency = through.get(task.id);
      if (dependency === undefined) return [];
      const path = dependency === failedId ? '' : ` (through ${dependency})`;
      return [blockTask(task, { reason: `needs ${failedId}${path}: ${reason}` })];
    });
}

/**
 * Requeues the done work that needs a task which has just left `done` by any way but a merge, and can't be kept: its
 * branch holds the refused commits, and would bring them onto the base. By id. Where the task is done again, what
 * stands on its work waits for that (see Ground), and only what doesn't say that it stands there is requeued. Call it
 * before blockDependents, so that what can't run any more is blocked from there.
 */
export function requeueDoneDependents(
  tasks: readonly Task[],
  changedId: string,
  { at }: { readonly at: string },
): readonly TaskChange[] {
  const changed = tasks.find(({ id }) => id === changedId);
  const status = changed?.status ?? 'missing';
  const through = findTransitiveDependents(tasks, [changedId]);
  const isKept = changed?.status === 'requeued' ? keptWork(tasks, through, changedId) : () => false;
  return [...tasks]
    .sort((a, b) => compareText(a.id, b.id))
    .filter((task) => task.status === 'done' && through.has(task.id) && !isKept(task))
    .map((task) =>
      requeueTask(task, {
        kind: 'restart',
        notes: `was stacked on ${changedId}, which is now ${status}`,
        at,
      }),
    );
}

function keptWork(
  tasks: readonly Task[],
  through: ReadonlyMap<string, string>,
  changedId: string,
): (task: Task) => boolean {
  const byId = new Map<string, Task>(tasks.map((task) => [task.id, task]));
  const isFounded = (task: Task, need: string): boolean => {
    const below = byId.get(need);
    return below !== undefined && isTaskBuiltOnTask(task, below, byId);
  };
  return (task) =>
    task.dependencies.filter((need) => need === changedId || through.has(need)).every((need) => isFounded(task, need));
}

/**
 * Blocked tasks that nothing blocks any more, by id: none of the tasks they need, directly or through
 * others, is failed or dropped. The inverse of blockDependents, whole chains at once.
 */
export function listUnblockableTasks(tasks: readonly Task[]): readonly Task[] {
  const lost = tasks.filter(({ status }) => status === 'failed' || status === 'dropped');
  const held = findTransitiveDependents(
    tasks,
    lost.map(({ id }) => id),
  );
  return tasks
    .filter((task) => task.status === 'blocked' && !held.has(task.id))
    .sort((a, b) => compareText(a.id, b.id));
}

/**
 * The changes by which tasks leave `done` (rejected, failed, dropped), and what follows for the work that was
 * built upon them: it waits for them to be done again, or is blocked if they never will be.
 */
export function withdrawTasks(
  tasks: readonly Task[],
  leaving: readonly TaskChange[],
  at: string,
): readonly TaskChange[] {
  let now = applyTaskChanges(tasks, leaving);
  const steps = [...leaving];
  for (const { task } of leaving) {
    const restarted = requeueDoneDependents(now, task.id, { at });
    now = applyTaskChanges(now, restarted);
    const why = whyGone(task);
    const blocked = why === null ? [] : blockDependents(now, task.id, why);
    now = applyTaskChanges(now, blocked);
    steps.push(...restarted, ...blocked);
  }
  return steps;
}

function whyGone({ status }: Task): string | null {
  if (status === 'failed') return 'it failed';
  return status === 'dropped' ? 'it was dropped' : null;
}

/** The tasks with what was changed of them. */
export function applyTaskChanges(tasks: readonly Task[], steps: readonly TaskChange[]): readonly Task[] {
  const changed = new Map<string, Task>(steps.map(({ task }) => [task.id, task]));
  return tasks.map((task) => changed.get(task.id) ?? task);
}
