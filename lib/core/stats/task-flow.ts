import type { TaskStatus } from '../../domain/state/task-schema.ts';
import type { FlowPoint, Stats } from '../../domain/view-models/stats-report.ts';
import { addToListOfKey } from '../../util/sort-and-group.ts';
import type { TaskSpans } from './task-times.ts';

const mostPoints = 240;

export interface Flow {
  readonly points: readonly FlowPoint[];
  readonly queue: Stats['queue'];
  /** Seconds that workers were busy, and that the slots could have been, while at least one was. */
  readonly busy_s: number;
  readonly usable_s: number;
}

/** Measures how tasks moved through a session: their status at each moment, the queue, and the worker slots in use. */
export function measureFlow(tasks: readonly TaskSpans[], slots: number): Flow {
  const board = new Board(tasks);
  const points: FlowPoint[] = [];
  let [peak, queued, working, busy, usable] = [0, 0, 0, 0, 0];
  for (const { at, moves, until } of moments(tasks)) {
    for (const { id, to } of moves) board.move(id, to);
    peak = Math.max(peak, board.waiting);
    points.push(board.point(at));
    const seconds = (until - at) / 1_000;
    if (board.count('claimed') === 0) continue;
    working += seconds;
    queued += board.waiting * seconds;
    busy += Math.min(slots, board.count('claimed')) * seconds;
    usable += Math.min(slots, board.count('claimed') + board.ready) * seconds;
  }
  return {
    points: thinOut(points),
    queue: {
      depth: board.waiting,
      ready: board.ready,
      peak,
      mean: working === 0 ? null : queued / working,
    },
    busy_s: busy,
    usable_s: usable,
  };
}

interface Moment {
  readonly at: number;
  /** When the next one comes; the last one has no length. */
  readonly until: number;
  readonly moves: readonly { readonly id: string; readonly to: TaskStatus }[];
}

function moments(tasks: readonly TaskSpans[]): readonly Moment[] {
  const byTime = new Map<number, { readonly id: string; readonly to: TaskStatus }[]>();
  for (const { task, spans } of tasks) {
    for (const { status, from } of spans) {
      addToListOfKey(byTime, from, { id: keyOf(task.session, task.id), to: status });
    }
  }
  const times = [...byTime.keys()].sort((a, b) => a - b);
  return times.map((at, index) => ({ at, until: times[index + 1] ?? at, moves: byTime.get(at) ?? [] }));
}

/** Where each task is at one moment, counted as it changes. */
class Board {
  readonly #status = new Map<string, TaskStatus>();
  readonly #counts = new Map<TaskStatus, number>();
  /** Tasks that are there whose dependencies aren't all done, with how many aren't. */
  readonly #unmet = new Map<string, number>();
  readonly #dependents = new Map<string, string[]>();
  readonly #ready = new Set<string>();

  constructor(tasks: readonly TaskSpans[]) {
    for (const { task } of tasks) {
      const key = keyOf(task.session, task.id);
      this.#unmet.set(key, task.dependencies.length);
      for (const id of task.dependencies) addToListOfKey(this.#dependents, keyOf(task.session, id), key);
    }
  }

  move(key: string, to: TaskStatus): void {
    const from = this.#status.get(key);
    if (from !== undefined) this.#counts.set(from, this.count(from) - 1);
    this.#status.set(key, to);
    this.#counts.set(to, this.count(to) + 1);
    const change = Number(isDone(from)) - Number(isDone(to));
    for (const dependent of change === 0 ? [] : (this.#dependents.get(key) ?? [])) {
      this.#unmet.set(dependent, (this.#unmet.get(dependent) ?? 0) + change);
      this.#note(dependent);
    }
    this.#note(key);
  }

  count(status: TaskStatus): number {
    return this.#counts.get(status) ?? 0;
  }

  get waiting(): number {
    return this.count('pending') + this.count('requeued');
  }

  /** Pending tasks whose dependencies are done. */
  get ready(): number {
    return this.#ready.size;
  }

  point(at: number): FlowPoint {
    return {
      at: new Date(at).toISOString(),
      waiting: this.waiting + this.count('blocked'),
      working: this.count('claimed'),
      checking: this.count('done'),
      landed: this.count('merged'),
      lost: this.count('failed') + this.count('dropped'),
    };
  }

  #note(key: string): void {
    if (this.#status.get(key) === 'pending' && this.#unmet.get(key) === 0) this.#ready.add(key);
    else this.#ready.delete(key);
  }
}

function isDone(status: TaskStatus | undefined): boolean {
  return status === 'done' || status === 'merged';
}

function keyOf(session: string, task: string): string {
  return `${session}/${task}`;
}

/** At most so many points, the first and the last among them. */
function thinOut(points: readonly FlowPoint[]): readonly FlowPoint[] {
  if (points.length <= mostPoints) return points;
  const step = (points.length - 1) / (mostPoints - 1);
  return Array.from({ length: mostPoints }, (_, index) => points[Math.round(index * step)]).flatMap(
    (point) => point ?? [],
  );
}
