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
  /** Until its verdict: the machine's part. */
  readonly checking: number;
  /** From then until it landed: the person's part, and what waited with it. */
  readonly deciding: number;
}

/** How long a task took, and with what; null where it hasn't landed. */
export function taskTimes({ spans, judged }: TaskSpans): TaskTimes | null {
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
    ...sinceDone(spans, { judged, landed: landed.from }),
  };
}

/**
 * What is done waits for its verdict, then for the person: where nothing tells when it was judged, all is checking. A
 * person who judges again decides.
 */
function sinceDone(
  spans: readonly StatusSpan[],
  { judged, landed }: { readonly judged: readonly number[]; readonly landed: number },
): Pick<TaskTimes, 'checking' | 'deciding'> {
  let [checking, deciding] = [0, 0];
  for (const { status, from, to } of spans) {
    if (status !== 'done') continue;
    const end = to ?? landed;
    // Commits tell whole seconds.
    const first = judged.find((at) => at >= Math.floor(from / 1_000) * 1_000);
    const cut = Math.min(end, Math.max(from, first ?? end));
    checking += (cut - from) / 1_000;
    deciding += (end - cut) / 1_000;
  }
  return { checking, deciding };
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
    deciding: of(({ deciding }) => deciding),
  };
}
