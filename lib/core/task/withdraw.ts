import type { Task } from '../../domain/state/task.ts';
import { blockDependents, restartDependents } from './cascade.ts';
import type { TaskChange } from './task-state.ts';

/**
 * The changes by which tasks leave `done` (rejected, failed, dropped), and what follows for the work that was
 * built upon them: it is redone, or blocked if they will never be done.
 */
export function withdraw(
  tasks: readonly Task[],
  leaving: readonly TaskChange[],
  at: string,
): readonly TaskChange[] {
  let now = apply(tasks, leaving);
  const steps = [...leaving];
  for (const { task } of leaving) {
    const restarted = restartDependents(now, task.id, { at });
    now = apply(now, restarted);
    const isGone = task.status === 'failed' || task.status === 'dropped';
    const blocked = isGone ? blockDependents(now, task.id, `it was ${task.status}`) : [];
    now = apply(now, blocked);
    steps.push(...restarted, ...blocked);
  }
  return steps;
}

function apply(tasks: readonly Task[], steps: readonly TaskChange[]): readonly Task[] {
  const changed = new Map(steps.map(({ task }) => [task.id, task]));
  return tasks.map((task) => changed.get(task.id) ?? task);
}
