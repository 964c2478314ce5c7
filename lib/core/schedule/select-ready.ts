import type { Task } from '../../domain/state/task-schema.ts';
import { compareText } from '../../util/sort-and-group.ts';
import { readStackState } from '../task/stack-state.ts';
import { type DeferredTask, pickNonConflictingBatch } from './pick-batch.ts';
import { computeChainLengths } from './predict-batches.ts';
import { findSharedLock } from './shared-locks.ts';

/**
 * The tasks to start now: pending, all dependencies done or merged, backoff elapsed; then by priority, the longest
 * chain of tasks that wait for each, and id, skipping what conflicts in file locks with a selected or claimed task, up to `limit` agents at once.
 * `now` is in milliseconds since 1970. Tasks that aren't ready are in neither list.
 *
 * `judged` are claimed tasks whose agents are over. They take no place, and are counted as done: a task that only waits
 * for one of them and comes before others has its place kept free, since it is ready in a moment.
 */
export function selectReadyTasks({
  tasks,
  running,
  judged = new Set(),
  limit,
  now,
  places = () => 1,
}: {
  readonly tasks: readonly Task[];
  /** Claimed tasks; those among `tasks` count too, named here or not. */
  readonly running: readonly Task[];
  readonly judged?: ReadonlySet<string>;
  readonly limit: number;
  readonly now: number;
  /** Number of agents a task has, or asks for; one by default. */
  readonly places?: (task: Task) => number;
}): { readonly selected: readonly Task[]; readonly deferred: readonly DeferredTask<Task>[] } {
  const isClear = dependencyCheck(tasks);
  const isClearSoon = judged.size === 0 ? isClear : dependencyCheck(tasks, judged);
  const claimed = [...running, ...tasks.filter((task) => task.status === 'claimed')];
  const busy = [...new Map(claimed.map((task) => [task.id, task])).values()].sort((a, b) => compareText(a.id, b.id));
  const taken = new Set(busy.map((task) => task.id));
  const ready = tasks.filter(
    (task) => task.status === 'pending' && !taken.has(task.id) && waitOf(task, now) === 0 && isClearSoon(task),
  );
  // Blocked and failed tasks hold up no others.
  const chains = ready.length < 2 ? new Map() : computeChainLengths(tasks.filter(({ status }) => status === 'pending'));
  const atWork = busy.filter(({ id }) => !judged.has(id));
  const used = atWork.reduce((sum, task) => sum + places(task), 0);
  const { selected, deferred } = pickNonConflictingBatch({
    ready,
    running: atWork,
    limit,
    chains,
    taken: used,
    wanted: places,
  });
  const unsettled = busy.filter(({ id }) => judged.has(id));
  return {
    selected: selected.filter((task) => isClear(task) && !unsettled.some((one) => findSharedLock(task, one) !== null)),
    deferred: deferred.filter(({ task }) => isClear(task)),
  };
}

/** Milliseconds until the first task that only its backoff holds back may start; null: none does. */
export function msUntilNextBackoffEnds(tasks: readonly Task[], now: number): number | null {
  const isClear = dependencyCheck(tasks);
  const waits = tasks
    .filter((task) => task.status === 'pending' && isClear(task))
    .map((task) => waitOf(task, now))
    .filter((wait) => wait > 0);
  return waits.length === 0 ? null : Math.min(...waits);
}

function dependencyCheck(tasks: readonly Task[], asDone: ReadonlySet<string> = new Set()): (task: Task) => boolean {
  const stackState = readStackState(tasks);
  const isFinished = ({ id, status }: Task): boolean =>
    status === 'merged' || (status === 'done' && !stackState.waits({ id })) || (status === 'claimed' && asDone.has(id));
  const finished = new Set<string>(tasks.filter(isFinished).map(({ id }) => id));
  return (task) => task.dependencies.every((id) => finished.has(id));
}

function waitOf(task: Task, now: number): number {
  if (task.not_before === null) return 0;
  const wait = Date.parse(task.not_before) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : 0;
}

/**
 * Whether a task could be started beside those that are claimed: by dependencies, file locks and the limit of how
 * many work at once. A backoff is waited for, so it holds nothing back. Apart from chooseNextAction, which `status` needs:
 * this loads what compares globs.
 */
export function canAnyTaskStart(tasks: readonly Task[], limit: number): boolean {
  return selectReadyTasks({ tasks, running: [], limit, now: Number.POSITIVE_INFINITY }).selected.length > 0;
}
