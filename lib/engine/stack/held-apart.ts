import { workBelow } from '../../core/schedule/work-below.ts';
import type { Task } from '../../domain/state/task.ts';
import { listSome } from '../../policy/rules.ts';
import type { StartPoint } from '../start-point.ts';
import { tellOnce } from '../tell-once.ts';
import type { Workshop } from '../workshop.ts';

/** Names what a task would start from now; the same text as long as that is the same. */
export function groundOf({ config }: Pick<Workshop, 'config'>, task: Task, tasks: readonly Task[]): string {
  const below = workBelow(task, tasks, config.concurrency.overlap);
  return below.map(({ task: id, commit }) => `${id} ${commit}`).join('\n');
}

/**
 * Keeps a task from being started while the work it would be built on conflicts with itself or with the base: one of
 * these lands first, or goes back. Says so once.
 */
export function holdApart(
  workshop: Pick<Workshop, 'events' | 'run'>,
  { task, ground }: { readonly task: Task; readonly ground: string },
  conflict: Extract<StartPoint, { readonly kind: 'conflict' }>,
): void {
  workshop.run.heldApart.set(`${task.session} ${task.id}`, ground);
  const message = `${task.id} waits: the work of ${conflict.with}, which it would build on, conflicts with other work that has not landed or with the base, in ${listSome(conflict.paths)}.`;
  tellOnce(workshop, message, {
    details: ['It starts once one of them has landed or was sent back.'],
  });
}

/** Tasks without those that are held apart now, or that whoever leads has not assigned. */
export function withoutHeldApart(
  workshop: Pick<Workshop, 'config' | 'run'>,
  tasks: readonly Task[],
): readonly Task[] {
  const { heldApart: held, assigned } = workshop.run;
  return tasks.filter((task) => {
    if (task.status !== 'pending') return true;
    if (assigned?.has(task.id) === false) return false;
    const ground = held.get(`${task.session} ${task.id}`);
    return ground === undefined || ground !== groundOf(workshop, task, tasks);
  });
}
