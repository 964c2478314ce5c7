import type { Task } from '../../domain/state/task.ts';
import { byPriority } from '../task/by-priority.ts';
import { cohesionGroups } from './cohesion-groups.ts';

/** Done tasks without a verdict: groups in dependency order, each group's tasks by priority, then id. */
export function validationOrder(tasks: readonly Task[]): readonly Task[] {
  return cohesionGroups(tasks).flatMap((group) =>
    group.tasks.filter((task) => task.status === 'done' && task.result.status === null).sort(byPriority),
  );
}
