import type { Task, TaskIn } from '../../domain/state/task.ts';
import { dropTask } from './task-outcome.ts';
import { requeueTask } from './task-return.ts';
import { describeChange, illegalTransition, type TaskChange } from './task-state.ts';

/** How tasks go on whose landing is taken back. */
export interface AfterUndo {
  readonly follow: 'requeue' | 'drop';
  /** Why: notes for the next attempts, or the reason of a drop. */
  readonly notes: string;
  /** The next attempts start from the work that had landed. */
  readonly keep: boolean;
}

/**
 * merged → requeued or dropped: the one way out of what has landed, and only together with its landing. What was found
 * about the work is in its history. Throws a FlameError `illegal-transition` where it isn't merged.
 */
export function takeBackTask(task: Task, { follow, notes, keep }: AfterUndo, at: string): TaskChange {
  if (task.status !== 'merged') throw illegalTransition(task, follow === 'drop' ? 'dropped' : 'requeued');
  const done = beforeLanding(task);
  const { task: after } =
    follow === 'drop'
      ? dropTask(done, { reason: notes })
      : requeueTask(done, { kind: 'rejected', notes, at, keep });
  return describeChange(task, after, `, its landing was taken back: ${notes}`);
}

/** A task as right before it landed, but that it has: no other clone's older word ends it again. */
export function beforeLanding(task: TaskIn<'merged'>): Task {
  const { landed_as: _, ...landed } = task;
  return { ...landed, status: 'done', undone: (task.undone ?? 0) + 1 };
}
