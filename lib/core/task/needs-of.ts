import type { TaskId } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task.ts';

/** What says whose work a task needs. */
export interface Needing {
  readonly dependencies: readonly TaskId[];
  readonly built_on?: readonly { readonly task: TaskId }[] | undefined;
}

/** The tasks whose work a task's own cannot land without: those it depends on, and those it was built on. */
export function needsOf({ dependencies, built_on: builtOn = [] }: Needing): readonly TaskId[] {
  return [...new Set([...dependencies, ...builtOn.map(({ task }) => task)])];
}

/**
 * The work that a finished task was built on and that is not accepted any more: its task was sent back, failed or
 * dropped, or its own work is another commit by now. A task that is in neither list says nothing: it may only have
 * been received.
 */
export function lostGround(task: Task, byId: ReadonlyMap<string, Task>): readonly TaskId[] {
  if (task.status !== 'done') return [];
  return (task.built_on ?? []).flatMap(({ task: id, commit }) => {
    const below = byId.get(id);
    return below === undefined || isAccepted(below, commit) ? [] : [id];
  });
}

function isAccepted({ status, commit }: Task, expected: string): boolean {
  return (status === 'done' || status === 'merged') && commit === expected;
}

/** Finished tasks that stand on lost ground, see lostGround. */
export function uprooted(tasks: readonly Task[]): readonly Task[] {
  if (!tasks.some(({ built_on }) => built_on !== undefined)) return [];
  const byId = new Map<string, Task>(tasks.map((task) => [task.id, task]));
  return tasks.filter((task) => lostGround(task, byId).length > 0);
}
