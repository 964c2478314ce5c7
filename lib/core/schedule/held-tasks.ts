import type { TaskId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';

/** The tasks that no other changeset of the cycle may hold: of one that was rejected in part, those that went back. */
export function heldTasks({
  tasks,
  rejected_tasks: part,
}: Pick<Changeset, 'tasks' | 'rejected_tasks'>): readonly TaskId[] {
  return part ?? tasks;
}
