import type { ObjectId } from '../../domain/ids.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import type { DoneTask, Task, TaskWithStatus } from '../../domain/state/task-schema.ts';
import { boundText } from './bound-text.ts';
import { amendHistoryOfDoneTask } from './task-history.ts';
import { applyTaskEdit, pickTaskPlan } from './task-keys.ts';
import { dropTask, requeueTask } from './task-outcome.ts';
import { emptyTaskResult, illegalTransitionError, makeTaskChange, type TaskChange } from './task-state.ts';

/** How tasks go on whose landing is taken back. */
export interface LandingUndoOptions {
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
export function takeBackTaskLanding(task: Task, { follow, notes, keep }: LandingUndoOptions, at: string): TaskChange {
  if (task.status !== 'merged') throw illegalTransitionError(task, follow === 'drop' ? 'dropped' : 'requeued');
  const done = beforeLanding(task);
  const { task: after } =
    follow === 'drop' ? dropTask(done, { reason: notes }) : requeueTask(done, { kind: 'rejected', notes, at, keep });
  return makeTaskChange(task, after, `, its landing was taken back: ${notes}`);
}

/** A task as right before it landed, but that it has: no other clone's older word ends it again. */
function beforeLanding(task: TaskWithStatus<'merged'>): Task {
  const { landed_as: _, ...landed } = task;
  return { ...landed, status: 'done', undone: (task.undone ?? 0) + 1 };
}

/** Remarks on a task's work after it landed on a branch that is still under review. */
export interface PullRequestRemarks {
  /** How much, in a few words: `2 remarks and 1 failed check`. */
  readonly summary: string;
  readonly notes: string;
  readonly comments: readonly LineComment[];
  readonly at: string;
}

/**
 * merged → requeued: what had landed stays where it is, and the next attempt goes on from there. Counted as a landing
 * that is taken back is, so that no other clone's older word ends it again. Throws a FlameError `illegal-transition`
 * where it isn't merged.
 */
export function requeueTaskForRemarks(task: Task, { summary, notes, comments, at }: PullRequestRemarks): TaskChange {
  if (task.status !== 'merged') throw illegalTransitionError(task, 'requeued');
  const { task: after } = requeueTask(beforeLanding(task), {
    kind: 'rejected',
    notes,
    comments,
    at,
    isOnRequest: true,
  });
  const reason = `${summary} on its pull request`;
  return makeTaskChange(task, { ...after, reason }, `, ${reason}`);
}

/** Results of tasks a rejection sent back: the rejected ones, and finished work that could not stand without them. */
const sentBack: readonly (string | undefined)[] = ['rejected', 'restart'];

/** Whether a task still waits as the rejection at that time left it. */
export function isStillAsRejectedAt({ status, history }: Task, at: string): boolean {
  const last = history.at(-1);
  return status === 'requeued' && sentBack.includes(last?.result) && last?.timestamp === at;
}

/**
 * True if `former` is the task right before it was sent back. Fields that no rejection changes must be the same: anyone
 * who may push can put another version beside it.
 */
export function isTaskBeforeRejection(task: Task, former: Task | null): former is DoneTask {
  return (
    former?.status === 'done' &&
    former.rev === task.rev - 1 &&
    untouched.every((key) => JSON.stringify(former[key]) === JSON.stringify(task[key]))
  );
}

/** Keys that are in no plan and that a rejection leaves as they are. */
const untouched = [
  ...(['role', 'source', 'takes_back', 'created_by', 'created_at'] as const),
  ...(['branch', 'commit', 'start_commit'] as const),
];

/**
 * requeued → done: as it was before a rejection that is taken back, by the plan it has now. Throws a FlameError
 * `illegal-transition`.
 */
export function undoTaskRejection(task: Task, former: Task): TaskChange {
  if (task.status !== 'requeued' || former.status !== 'done') throw illegalTransitionError(task, 'done');
  const before = { ...former, rev: task.rev };
  const { task: planned } = applyTaskEdit(before, pickTaskPlan(before), pickTaskPlan(task));
  return makeTaskChange(task, planned, ', its rejection was taken back');
}

/**
 * A done task whose work a person went on with, by commits on top of it: it stays done, and what was found about it is
 * about another commit. Throws a FlameError `illegal-transition` when it isn't done.
 */
export function amendWork(
  task: Task,
  { commit, amendment, at }: { readonly commit: ObjectId; readonly amendment: string; readonly at: string },
): TaskChange<DoneTask> {
  if (task.status !== 'done') throw illegalTransitionError(task, 'done');
  const notes = boundText([task.history.at(-1)?.notes ?? '', `${amendment}.`].filter(Boolean).join('\n'));
  const next: DoneTask = {
    ...task,
    status: 'done',
    commit,
    result: { ...emptyTaskResult, notes },
    history: amendHistoryOfDoneTask(task, notes, at),
  };
  return makeTaskChange(task, next, `, ${amendment}`);
}
