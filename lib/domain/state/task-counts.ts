import { formatCount } from '../../util/format-figures.ts';
import type { TaskStatus } from './task-schema.ts';

/** Tasks by what has become of them; `total` is without those that were dropped, and planned ones. */
export interface TaskCounts {
  readonly total: number;
  /** Finished work, landed or not, that has not failed its validation. */
  readonly done: number;
  /** Of those. */
  readonly landed: number;
  readonly running: number;
  /** Neither begun nor sent back. */
  readonly waiting: number;
  readonly back: number;
  /** Failed, blocked, or failed validation. */
  readonly lost: number;
  readonly dropped: number;
}

/** Counts tasks, one way for terminal and board. `verdict`: of the work that is done; null: none yet. */
export function countTasks(
  tasks: readonly { readonly status: TaskStatus | 'proposed'; readonly verdict: 'pass' | 'fail' | null }[],
): TaskCounts {
  const count = (...statuses: readonly (TaskStatus | 'proposed')[]): number =>
    tasks.filter(({ status }) => statuses.includes(status)).length;
  const failed = tasks.filter(({ status, verdict }) => status === 'done' && verdict === 'fail').length;
  return {
    total: tasks.length - count('dropped', 'proposed'),
    done: count('done', 'merged') - failed,
    landed: count('merged'),
    running: count('claimed'),
    waiting: count('pending'),
    back: count('requeued'),
    lost: count('failed', 'blocked') + failed,
    dropped: count('dropped'),
  };
}

/** `1 of 10 tasks done`, `4 running`: the counts as words. `ready`: how many of those that wait could start. */
export function describeTaskCounts(counts: TaskCounts, ready: number | null = null): readonly string[] {
  const { total, done, landed, running, waiting, back, lost, dropped } = counts;
  return [
    `${done} of ${formatCount(total, 'task')} done${landed > 0 ? `, ${landed} landed` : ''}`,
    ...(running > 0 ? [`${running} running`] : []),
    ...(ready === null ? [] : [`${ready} ready`]),
    ...(ready === null && waiting === 0 ? [] : [`${waiting - (ready ?? 0)} waiting`]),
    ...(back > 0 ? [`${back} sent back`] : []),
    ...(lost > 0 ? [`${lost} failed or blocked`] : []),
    ...(dropped > 0 ? [`${dropped} dropped`] : []),
  ];
}
