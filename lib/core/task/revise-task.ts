import type { LineComment } from '../../domain/state/line-comment.ts';
import type { Task } from '../../domain/state/task.ts';
import { beforeLanding } from './take-back.ts';
import { requeueTask } from './task-return.ts';
import { describeChange, illegalTransition, type TaskChange } from './task-state.ts';

/** Remarks on a task's work after it landed on a branch that is still under review. */
export interface Revision {
  /** How much, in a few words: `2 remarks and 1 failed check`. */
  readonly said: string;
  readonly notes: string;
  readonly comments: readonly LineComment[];
  readonly at: string;
}

/**
 * merged → requeued: what had landed stays where it is, and the next attempt goes on from there. Counted as a landing
 * that is taken back is, so that no other clone's older word ends it again. Throws a FlameError `illegal-transition`
 * where it isn't merged.
 */
export function reviseTask(task: Task, { said, notes, comments, at }: Revision): TaskChange {
  if (task.status !== 'merged') throw illegalTransition(task, 'requeued');
  const { task: after } = requeueTask(beforeLanding(task), {
    kind: 'rejected',
    notes,
    comments,
    at,
    isOnRequest: true,
  });
  const reason = `${said} on its pull request`;
  return describeChange(task, { ...after, reason }, `, ${reason}`);
}
