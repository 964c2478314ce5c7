import type { Task } from '../../domain/state/task-schema.ts';
import { readStackState } from '../task/stack-state.ts';
import { claimTask } from '../task/task-attempt.ts';
import { makeRequeuedTaskPending } from '../task/task-outcome.ts';
import type { TaskChange } from '../task/task-state.ts';
import { isTaskClaimable, nameTaskHolder } from './claimable-tasks.ts';
import { findSharedLock } from './shared-locks.ts';

/**
 * Why a task can't be claimed by hand, as the end of a sentence; null when it can. A backoff is for agents,
 * and what failed or was sent back may be taken up. `limit`: how many may work at once; Infinity for no
 * limit.
 */
export function whyNotClaimableByHand(task: Task, tasks: readonly Task[], limit: number): string | null {
  if (!isTaskClaimable(task)) return describeStatus(task);
  const open = unmet(task, tasks);
  if (open.length > 0) return `needs ${open.join(', ')} first`;
  const busy = tasks.filter(({ status }) => status === 'claimed');
  if (busy.length >= limit) return `would exceed the limit of ${limit} tasks at once (concurrency.development)`;
  for (const other of busy) {
    const lock = findSharedLock(task, other);
    if (lock !== null) return `shares ${lock} with ${other.id}, which is claimed`;
  }
  return null;
}

/** The changes by which a person claims a task: one that failed or was sent back is pending again first. */
export function makeManualClaimChanges(
  task: Task,
  claim: Omit<Parameters<typeof claimTask>[1], 'agentId'>,
): readonly TaskChange[] {
  const restarted = task.status === 'pending' ? [] : [makeRequeuedTaskPending(task)];
  const free = restarted[0]?.task ?? task;
  return [...restarted, claimTask(free, { ...claim, agentId: null })];
}

function unmet({ dependencies }: Task, tasks: readonly Task[]): readonly string[] {
  if (dependencies.length === 0) return [];
  const stackState = readStackState(tasks);
  const isFinished = (other: Task): boolean =>
    other.status === 'merged' || (other.status === 'done' && !stackState.waits(other));
  return dependencies.filter((id) => !tasks.some((other) => other.id === id && isFinished(other)));
}

function describeStatus(task: Task): string {
  if (task.status === 'claimed') return `is claimed by ${nameTaskHolder(task)}`;
  return task.status === 'blocked' ? `is blocked: ${task.reason ?? ''}` : `is ${task.status}`;
}
