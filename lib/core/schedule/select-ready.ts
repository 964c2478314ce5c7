import type { Task } from '../../domain/state/task.ts';
import { byText } from '../../util/by-text.ts';
import { longestChains } from './longest-chains.ts';
import { type Deferral, pickBatch } from './pick-batch.ts';

/**
 * The tasks to start now: pending, all dependencies done or merged, backoff elapsed; then by priority, the longest
 * chain of tasks that wait for each, and id, skipping what conflicts in file locks with a selected or claimed task, up to `limit` agents at once.
 * `now` is in milliseconds since 1970. Tasks that aren't ready are in neither list.
 */
export function selectReady({
  tasks,
  running,
  limit,
  now,
}: {
  readonly tasks: readonly Task[];
  /** Claimed tasks; those among `tasks` count too, named here or not. */
  readonly running: readonly Task[];
  readonly limit: number;
  readonly now: number;
}): { readonly selected: readonly Task[]; readonly deferred: readonly Deferral<Task>[] } {
  const isClear = dependencyCheck(tasks);
  const claimed = [...running, ...tasks.filter((task) => task.status === 'claimed')];
  const busy = [...new Map(claimed.map((task) => [task.id, task])).values()].sort((a, b) =>
    byText(a.id, b.id),
  );
  const taken = new Set(busy.map((task) => task.id));
  const ready = tasks.filter(
    (task) => task.status === 'pending' && !taken.has(task.id) && waitOf(task, now) === 0 && isClear(task),
  );
  const chains = ready.length < 2 ? new Map() : longestChains(tasks.filter(isToBeDone));
  return pickBatch({ ready, running: busy, limit, chains });
}

/** Milliseconds until the first task that only its backoff holds back may start; null: none does. */
export function nextWake(tasks: readonly Task[], now: number): number | null {
  const isClear = dependencyCheck(tasks);
  const waits = tasks
    .filter((task) => task.status === 'pending' && isClear(task))
    .map((task) => waitOf(task, now))
    .filter((wait) => wait > 0);
  return waits.length === 0 ? null : Math.min(...waits);
}

/** What is blocked or failed holds no other task up. */
function isToBeDone({ status }: Task): boolean {
  return status === 'pending';
}

function dependencyCheck(tasks: readonly Task[]): (task: Task) => boolean {
  const finished = new Set<string>(
    tasks.filter(({ status }) => status === 'done' || status === 'merged').map(({ id }) => id),
  );
  return (task) => task.dependencies.every((id) => finished.has(id));
}

function waitOf(task: Task, now: number): number {
  if (task.not_before === null) return 0;
  const wait = Date.parse(task.not_before) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : 0;
}
