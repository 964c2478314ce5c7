import type { Stats } from '../../domain/shown/stats.ts';
import type { TaskStatus } from '../../domain/state/task.ts';
import { distribution } from './distribution.ts';
import type { StatusSpan, TaskSpans } from './task-spans.ts';

/** Seconds; all of a task that has landed. */
export interface TaskTimes {
  readonly cycle: number;
  readonly lead: number;
  readonly waiting: number;
  readonly working: number;
  readonly checking: number;
}

/** How long a task took, and with what; null where it hasn't landed. */
export function taskTimes({ spans }: TaskSpans): TaskTimes | null {
  const landed = spans.find(({ status }) => status === 'merged');
  const [first] = spans;
  if (landed === undefined || first === undefined) return null;
  const claimed = spans.find(({ status }) => status === 'claimed') ?? landed;
  const spent = (...statuses: readonly TaskStatus[]): number =>
    spans
      .filter(({ status }) => statuses.includes(status))
      .reduce((sum, span) => sum + ((span.to ?? landed.from) - span.from), 0) / 1_000;
  return {
    cycle: (landed.from - claimed.from) / 1_000,
    lead: (landed.from - first.from) / 1_000,
    waiting: spent('pending', 'requeued', 'blocked', 'failed'),
    working: spent('claimed'),
    checking: spent('done'),
  };
}

/** Attempts at a task: claims, without those that were given back untried. */
export function countAttempts(spans: readonly StatusSpan[]): number {
  return spans.filter(({ status }, index) => status === 'claimed' && spans[index + 1]?.status !== 'pending')
    .length;
}

export function timesOf(times: readonly TaskTimes[]): Stats['times_s'] {
  const of = (get: (task: TaskTimes) => number) => distribution(times.map(get));
  return {
    cycle: of(({ cycle }) => cycle),
    lead: of(({ lead }) => lead),
    waiting: of(({ waiting }) => waiting),
    working: of(({ working }) => working),
    checking: of(({ checking }) => checking),
  };
}
