import type { Task } from '../../domain/state/task.ts';
import { isHeld } from './next-action.ts';

/** The claims by hand that are older than they may be; none where no time is set. */
export function expiredClaims(
  tasks: readonly Task[],
  timeoutMs: number | 'never',
  now: Date,
): readonly Task[] {
  if (timeoutMs === 'never') return [];
  const latest = now.getTime() - timeoutMs;
  return tasks.filter(
    (task) => isHeld(task) && task.claimed_at !== null && Date.parse(task.claimed_at) < latest,
  );
}
