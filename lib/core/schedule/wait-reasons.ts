import type { Task } from '../../domain/state/task.ts';
import { selectReady } from './select-ready.ts';

/** Why a task is not worked on at this moment, one line each; none where it could be, or where nothing is left to do. */
export function waitReasons(
  task: Task,
  tasks: readonly Task[],
  { limit, now }: { readonly limit: number; readonly now: number },
): readonly string[] {
  if (task.status !== 'pending') return [];
  const byId = new Map<string, Task>(tasks.map((one) => [one.id, one]));
  const needs = task.dependencies.flatMap((id) => {
    const status = byId.get(id)?.status;
    if (status === 'done' || status === 'merged') return [];
    return [`${id}, which it depends on, is ${status ?? 'not there'}`];
  });
  const wait = task.not_before === null ? 0 : Date.parse(task.not_before) - now;
  if (wait > 0) needs.push(`it is tried again in ${Math.ceil(wait / 1_000)} s`);
  if (needs.length > 0) return needs;
  const { deferred } = selectReady({ tasks, running: [], limit, now });
  return deferred.filter((one) => one.task.id === task.id).map(({ because }) => because);
}
