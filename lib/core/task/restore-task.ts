import type { Task } from '../../domain/state/task.ts';
import { describeChange, illegalTransition, type TaskChange } from './task-state.ts';

/** What a rejection sent back: what was rejected, and finished work that could not stand without it. */
const sentBack: readonly (string | undefined)[] = ['rejected', 'restart'];

/** Whether a task still waits as the rejection at that time left it. */
export function wasSentBackAt({ status, history }: Task, at: string): boolean {
  const last = history.at(-1);
  return status === 'requeued' && sentBack.includes(last?.result) && last?.timestamp === at;
}

/** Whether this is how a task was right before it was sent back. */
export function isBefore(task: Task, former: Task | null): former is Task {
  return former?.status === 'done' && former.rev === task.rev - 1;
}

/** requeued → done: exactly as it was before a rejection that is taken back. Throws a FlameError `illegal-transition`. */
export function restoreTask(task: Task, former: Task): TaskChange {
  if (task.status !== 'requeued' || former.status !== 'done') throw illegalTransition(task, 'done');
  return describeChange(task, { ...former, rev: task.rev }, ', its rejection was taken back');
}
