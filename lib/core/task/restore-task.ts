import type { DoneTask, Task } from '../../domain/state/task.ts';
import { applyEdit, planOf } from './edit-task.ts';
import { describeChange, illegalTransition, type TaskChange } from './task-state.ts';

/** Results of tasks a rejection sent back: the rejected ones, and finished work that could not stand without them. */
const sentBack: readonly (string | undefined)[] = ['rejected', 'restart'];

/** Whether a task still waits as the rejection at that time left it. */
export function wasSentBackAt({ status, history }: Task, at: string): boolean {
  const last = history.at(-1);
  return status === 'requeued' && sentBack.includes(last?.result) && last?.timestamp === at;
}

/**
 * True if `former` is the task right before it was sent back. Fields that no rejection changes must be the same: anyone
 * who may push can put another version beside it.
 */
export function isBefore(task: Task, former: Task | null): former is DoneTask {
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
export function restoreTask(task: Task, former: Task): TaskChange {
  if (task.status !== 'requeued' || former.status !== 'done') throw illegalTransition(task, 'done');
  const before = { ...former, rev: task.rev };
  const { task: planned } = applyEdit(before, planOf(before), planOf(task));
  return describeChange(task, planned, ', its rejection was taken back');
}
