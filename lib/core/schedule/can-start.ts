import type { Task } from '../../domain/state/task.ts';
import { selectReady } from './select-ready.ts';

/**
 * Whether a task could be started beside those that are claimed: by dependencies, file locks and the limit of how
 * many work at once. A backoff is waited for, so it holds nothing back. Apart from nextAction, which `status` needs:
 * this loads what compares globs.
 */
export function canStart(tasks: readonly Task[], limit: number): boolean {
  return selectReady({ tasks, running: [], limit, now: Number.POSITIVE_INFINITY }).selected.length > 0;
}
