import type { Task } from '../../domain/state/task-schema.ts';
import { isClaimedByHand } from './next-action.ts';

/** Whether no agent or person works on it and one may. */
export function isTaskClaimable({ status }: Task): boolean {
  return status === 'pending' || status === 'requeued' || status === 'failed';
}

/** Name of the worker of a task, for a person to read. */
export function nameTaskHolder(task: Task): string {
  return task.agent_id ?? task.claimed_by ?? 'someone';
}

/** Whether it is claimed by this person, by hand. */
export function isClaimedByPerson(task: Task, person: string): boolean {
  return isClaimedByHand(task) && task.claimed_by === person;
}

/** The claims by hand that are older than they may be; none where no time is set. */
export function listExpiredManualClaims(
  tasks: readonly Task[],
  timeoutMs: number | 'never',
  now: Date,
): readonly Task[] {
  if (timeoutMs === 'never') return [];
  const latest = now.getTime() - timeoutMs;
  return tasks.filter(
    (task) => isClaimedByHand(task) && task.claimed_at !== null && Date.parse(task.claimed_at) < latest,
  );
}
