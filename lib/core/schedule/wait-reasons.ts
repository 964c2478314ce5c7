import type { Task } from '../../domain/state/task-schema.ts';
import { readStackState, type StackState } from '../task/stack-state.ts';
import { selectReadyTasks } from './select-ready.ts';

interface Waiting {
  readonly limit: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Reasons why conflicts block tasks, by id. */
  readonly blockedByConflict?: ReadonlyMap<string, string>;
}

/** Why a task is not worked on at this moment, one line each; none where it could be, or where nothing is left to do. */
export function listWaitReasons(task: Task, tasks: readonly Task[], waiting: Waiting): readonly string[] {
  return listWaitReasonsByTask(tasks, waiting).get(task.id) ?? [];
}

/** Reasons of all tasks that wait, by id. */
export function listWaitReasonsByTask(
  tasks: readonly Task[],
  { limit, now, blockedByConflict = new Map() }: Waiting,
): ReadonlyMap<string, readonly string[]> {
  const byId = new Map<string, Task>(tasks.map((one) => [one.id, one]));
  const stackState = readStackState(tasks);
  const { deferred } = selectReadyTasks({ tasks, running: [], limit, now });
  const because = new Map<string, string>(deferred.map((one) => [one.task.id, one.because]));
  const found = tasks.flatMap((task): [string, readonly string[]][] => {
    if (task.status !== 'pending') return [];
    const needs = [...unmetNeeds(task, byId, stackState), ...backoff(task, now)];
    const others = [because.get(task.id), blockedByConflict.get(task.id)].filter((reason) => reason !== undefined);
    const reasons = needs.length > 0 ? needs : others;
    return reasons.length === 0 ? [] : [[task.id, reasons]];
  });
  return new Map(found);
}

function unmetNeeds(
  { dependencies }: Task,
  byId: ReadonlyMap<string, Task>,
  stackState: StackState,
): readonly string[] {
  return dependencies.flatMap((id) => {
    const status = byId.get(id)?.status;
    if (stackState.waits({ id })) return [`its dependency ${id} waits until other work is done again`];
    if (status === 'done' || status === 'merged') return [];
    return [`its dependency ${id} is ${status ?? 'missing'}`];
  });
}

function backoff({ not_before: until }: Task, now: number): readonly string[] {
  const wait = until === null ? 0 : Date.parse(until) - now;
  return wait > 0 ? [`its next attempt starts in ${Math.ceil(wait / 1_000)} s`] : [];
}
