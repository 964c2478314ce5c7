import type { Task } from '../domain/task.ts';
import { byText } from './by-priority.ts';
import { blockTask, type TaskChange } from './task-state.ts';
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
