import type { Task } from '../../domain/state/task.ts';
import { byText } from '../../util/by-text.ts';
import { blockTask, requeueTask } from './task-return.ts';
import type { TaskChange } from './task-state.ts';
import { transitiveDependents } from './transitive-dependents.ts';

/**
 * Blocks what can't run any more because a task failed for good or was dropped: exactly its transitive
 * dependents that are pending or requeued, by id, each with the reason.
 */
export function blockDependents(
  tasks: readonly Task[],
  failedId: string,
  reason: string,
): readonly TaskChange[] {
  const through = transitiveDependents(tasks, [failedId]);
  return [...tasks]
    .sort((a, b) => byText(a.id, b.id))
    .filter(({ status }) => status === 'pending' || status === 'requeued')
    .flatMap((task) => {
      const dependency = through.get(task.id);
      if (dependency === undefined) return [];
      const path = dependency === failedId ? '' : ` (through ${dependency})`;
      return [blockTask(task, { reason: `needs ${failedId}${path}: ${reason}` })];
    });
}

/**
 * Requeues the done work that was built on a task which has just left `done` by any way but a merge: its
 * branch holds the refused commits, and would bring them onto the base. By id. Call it before blockDependents,
 * so that what can't run any more is blocked from there.
 */
export function restartDependents(
  tasks: readonly Task[],
  changedId: string,
  { at }: { readonly at: string },
): readonly TaskChange[] {
  const through = transitiveDependents(tasks, [changedId]);
  const status = tasks.find(({ id }) => id === changedId)?.status ?? 'gone';
  return [...tasks]
    .sort((a, b) => byText(a.id, b.id))
    .filter((task) => task.status === 'done' && through.has(task.id))
    .map((task) =>
      requeueTask(task, { kind: 'restart', notes: `was built on ${changedId}, which is ${status} now`, at }),
    );
}

/**
 * Blocked tasks that nothing blocks any more, by id: none of the tasks they need, directly or through
 * others, is failed or dropped. The inverse of blockDependents, whole chains at once.
 */
export function unblockable(tasks: readonly Task[]): readonly Task[] {
  const lost = tasks.filter(({ status }) => status === 'failed' || status === 'dropped');
  const held = transitiveDependents(
    tasks,
    lost.map(({ id }) => id),
  );
  return tasks
    .filter((task) => task.status === 'blocked' && !held.has(task.id))
    .sort((a, b) => byText(a.id, b.id));
}
