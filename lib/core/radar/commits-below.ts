import type { ObjectId } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task.ts';

/** The commits a task's work was built on, directly and through those. */
export function commitsBelow(task: Task, tasks: readonly Task[]): ReadonlySet<ObjectId> {
  const below = new Set((task.built_on ?? []).map(({ commit }) => commit));
  // The set grows while it is gone through.
  for (const commit of below)
    for (const other of tasks)
      if (other.commit === commit) for (const { commit: more } of other.built_on ?? []) below.add(more);
  return below;
}
