import type { StateLogEntry } from '../../domain/ports/store-port.ts';
import { taskStatuses } from '../../domain/state/task-facts.ts';
import type { Task, TaskStatus } from '../../domain/state/task-schema.ts';
import type { Stats } from '../../domain/view-models/stats-report.ts';
import { addToListOfKey } from '../../util/sort-and-group.ts';
import { computeDistribution } from './distribution.ts';

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

/** Computes how long a task took, by phase; null where it hasn't landed. */
export function computeTaskTimes({ spans, judged }: TaskSpans): TaskTimes | null {
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
 * Divides the time since a task was done: it waits for its verdict, then for the person. Where no record says when it
 * was judged, all is checking. A second judgement is part of the person's time.
 */
function sinceDone(
  spans: readonly StatusSpan[],
  { judged, landed }: { readonly judged: readonly number[]; readonly landed: number },
): Pick<TaskTimes, 'checking' | 'deciding'> {
  let [checking, deciding] = [0, 0];
  for (const { status, from, to } of spans) {
    if (status !== 'done') continue;
    const end = to ?? landed;
    // Commits have whole seconds.
    const first = judged.find((at) => at >= Math.floor(from / 1_000) * 1_000);
    const cut = Math.min(end, Math.max(from, first ?? end));
    checking += (cut - from) / 1_000;
    deciding += (end - cut) / 1_000;
  }
  return { checking, deciding };
}

/** Attempts at a task: claims, without those that were given back untried. */
export function countAttemptsInSpans(spans: readonly StatusSpan[]): number {
  return spans.filter(({ status }, index) => status === 'claimed' && spans[index + 1]?.status !== 'pending').length;
}

export function summarizeTaskTimes(times: readonly TaskTimes[]): Stats['times_s'] {
  const of = (get: (task: TaskTimes) => number) => computeDistribution(times.map(get));
  return {
    cycle: of(({ cycle }) => cycle),
    lead: of(({ lead }) => lead),
    waiting: of(({ waiting }) => waiting),
    working: of(({ working }) => working),
    checking: of(({ checking }) => checking),
    deciding: of(({ deciding }) => deciding),
  };
}

/** Time of a task in one status, in milliseconds since 1970; `to` null: it still is. */
export interface StatusSpan {
  readonly status: TaskStatus;
  readonly from: number;
  readonly to: number | null;
}

export interface TaskSpans {
  readonly task: Task;
  /** One after another without a gap, from its creation on. */
  readonly spans: readonly StatusSpan[];
  /** When it was judged, milliseconds since 1970, oldest first. */
  readonly judged: readonly number[];
}

/**
 * The life of each task, from the commits on the ref of the tasks. They are a second exact; where the note
 * knows the same moment to the millisecond, that is taken. What the commits don't show, such as a status that
 * came by a merge of two clones, is taken from the note too.
 */
export function buildTaskSpans(tasks: readonly Task[], log: readonly StateLogEntry[]): readonly TaskSpans[] {
  const moves = new Map<string, { readonly at: number; readonly to: TaskStatus }[]>();
  const judged = new Map<string, number[]>();
  for (const { trailers, at, subject } of log.toReversed()) {
    const to = targetOf(trailers.Transition);
    const { Task: id = '' } = trailers;
    if (trailers.Transition === 'done -> done' && /\bjudged\b/.test(subject))
      addToListOfKey(judged, id, Date.parse(at));
    if (to !== null) addToListOfKey(moves, id, { at: Date.parse(at), to });
  }
  return tasks.map((task) => ({
    task,
    spans: spansOf(task, moves.get(task.id) ?? []),
    judged: judged.get(task.id) ?? [],
  }));
}

function spansOf(
  task: Task,
  moves: readonly { readonly at: number; readonly to: TaskStatus }[],
): readonly StatusSpan[] {
  const changes = moves.filter(({ to }, index) => to !== (moves[index - 1]?.to ?? 'pending'));
  const last = changes.at(-1)?.to ?? 'pending';
  const whole = last === task.status ? changes : [...changes, { at: Date.parse(task.updated_at), to: task.status }];
  const spans: StatusSpan[] = [];
  let [status, from]: [TaskStatus, number] = ['pending', Date.parse(task.created_at)];
  for (const { at, to } of whole) {
    // Clocks go back.
    const end = Math.max(from, exactTime(task, to, at));
    spans.push({ status, from, to: end });
    [status, from] = [to, end];
  }
  return [...spans, { status, from, to: null }];
}

/** The moment within the second of a commit, where the note records it. */
function exactTime(task: Task, to: TaskStatus, second: number): number {
  const parts = [
    ...(to === 'claimed' ? [task.claimed_at] : task.history.map(({ timestamp }) => timestamp)),
    ...(to === 'merged' ? [task.updated_at] : []),
  ];
  const times = parts.flatMap((time) => (time === null ? [] : [Date.parse(time)]));
  const within = times.filter((time) => Math.floor(time / 1_000) * 1_000 === second);
  return (to === 'merged' ? within.at(-1) : within[0]) ?? second;
}

function targetOf(transition: string | undefined): TaskStatus | null {
  const to = transition?.split(' -> ')[1];
  return taskStatuses.find((status) => status === to) ?? null;
}
