import type { Task } from '../../domain/state/task.ts';
import { blockDependents, restartDependents } from './cascade.ts';
import type { TaskChange } from './task-state.ts';

/**
 * The changes by which tasks leave `done` (rejected, failed, dropped), and what follows for the work that was
 * built upon them: it waits for them to be done again, or is blocked if they never will be.
 */
export function withdraw(
  tasks: readonly Task[],
  leaving: readonly TaskChange[],
  at: string,
): readonly TaskChange[] {
  let now = applySteps(tasks, leaving);
  const steps = [...leaving];
  for (const { task } of leaving) {
    const restarted = restartDependents(now, task.id, { at });
    now = applySteps(now, restarted);
    const why = whyGone(task);
    const blocked = why === null ? [] : blockDependents(now, task.id, why);
    now = applySteps(now, blocked);
    steps.push(...restarted, ...blocked);
  }
  return steps;
}

function whyGone({ status }: Task): string | null {
  if (status === 'failed') return 'it failed';
  return status === 'dropped' ? 'it was dropped' : null;
}

/** The tasks with what was changed of them. */
export function applySteps(tasks: readonly Task[], steps: readonly TaskChange[]): readonly Task[] {
  const changed = new Map<string, Task>(steps.map(({ task }) => [task.id, task]));
  return tasks.map((task) => changed.get(task.id) ?? task);
}
