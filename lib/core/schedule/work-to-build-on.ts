import type { ObjectId, TaskId } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { compareText } from '../../util/sort-and-group.ts';
import { readStackState } from '../task/stack-state.ts';
import { findSharedLock } from './shared-locks.ts';

/** Accepted work that has not landed, and why another task starts from it. */
export interface WorkToBuildOn {
  readonly task: TaskId;
  readonly commit: ObjectId;
  /** The lock both share; null: it is a dependency. */
  readonly lock: string | null;
}

/**
 * Lists the work a task that starts now is built on: that of its dependencies, if accepted, and, with `build-on`, of
 * every task whose locks overlap with its own, in any group. Dependencies first, in their order, then by id. Left out:
 * work that failed validation, stands on lost ground or waits, and work that was itself built on this task.
 */
export function listWorkToBuildOn(
  task: Task,
  tasks: readonly Task[],
  overlap: 'build-on' | 'separate',
): readonly WorkToBuildOn[] {
  const byId = new Map<string, Task>(tasks.map((one) => [one.id, one]));
  const needed = task.dependencies.flatMap((id) => toBelow(byId.get(id), null));
  if (overlap === 'separate') return needed;
  const above = builtUpon(task.id, tasks);
  const stackState = readStackState(tasks);
  const isSound = (other: Task): boolean =>
    other.result.status !== 'fail' && !stackState.waits(other) && stackState.lost(other).length === 0;
  const overlapping = [...tasks]
    .filter(({ id, status }) => status === 'done' && !above.has(id) && !task.dependencies.includes(id))
    .filter(isSound)
    .sort((a, b) => compareText(a.id, b.id))
    .flatMap((other) => {
      const lock = findSharedLock(task, other);
      return lock === null ? [] : toBelow(other, lock);
    });
  return [...needed, ...overlapping];
}

/** Work of other clones that does not count here, and that a task would be built on if it did. */
export function listUntrustedWorkToBuildOn(task: Task, received: readonly Task[]): readonly WorkToBuildOn[] {
  return received.flatMap((other) => {
    const lock = findSharedLock(task, other);
    if (task.dependencies.includes(other.id)) return toBelow(other, null);
    return lock === null ? [] : toBelow(other, lock);
  });
}

function toBelow(task: Task | undefined, lock: string | null): readonly WorkToBuildOn[] {
  if (task?.status !== 'done') return [];
  return [{ task: task.id, commit: task.commit, lock }];
}

/** A task and all that was built on it, directly or through others. */
function builtUpon(id: TaskId, tasks: readonly Task[]): ReadonlySet<string> {
  const above = new Set<string>([id]);
  for (let known = 0; known !== above.size; ) {
    known = above.size;
    for (const { id: other, built_on: builtOn = [] } of tasks)
      if (builtOn.some(({ task }) => above.has(task))) above.add(other);
  }
  return above;
}
