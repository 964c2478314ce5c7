import type { DoneTask, Task } from '../../domain/state/task.ts';
import { applyEdit, planOf } from './edit-task.ts';
import { describeChange, illegalTransition, type TaskChange } from './task-state.ts';

/** What a rejection sent back: what was rejected, and finished work that could not stand without it. */
const sentBack: readonly (string | undefined)[] = ['rejected', 'restart'];

/** Whether a task still waits as the rejection at that time left it. */
export function wasSentBackAt({ status, history }: Task, at: string): boolean {
  const last = history.at(-1);
  return status === 'requeued' && sentBack.includes(last?.result) && last?.timestamp === at;
}

/**
 * Whether this is how a task was right before it was sent back. What no rejection changes must be the same: whoever may
 * push can put a version of their own beside it.
 */
export function isBefore(task: Task, former: Task | null): former is DoneTask {
  return (
    former?.status === 'done' &&
    former.rev === task.rev - 1 &&
    untouched.every((key) => JSON.stringify(former[key]) === JSON.stringify(task[key]))
  );
}

/** What stands in no plan and what a rejection leaves as it is. */
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
