import { nextClaimNumber } from '../../domain/state/machine-schemas.ts';
import type { DoneTask, Task } from '../../domain/state/task-schema.ts';
import { releaseTask } from '../task/task-attempt.ts';
import { makeTaskChange, type TaskChange } from '../task/task-state.ts';

/**
 * The machine whose agent works on a task, or that judges the commit it has; null: none. A person's claim has no lease:
 * no machine holds that.
 */
export function findTaskHolder({ status, agent_id, claimed_host, commit, judging }: Task): string | null {
  if (status === 'claimed') return agent_id === null ? null : claimed_host;
  return status === 'done' && judging?.commit === commit ? judging.machine : null;
}

/** Frees a task of the machine that holds it; the number of its claim stays. `at`: ISO 8601. */
export function releaseFromHolder(
  task: Task,
  { reason, at }: { readonly reason: string; readonly at: string },
): TaskChange {
  return task.status === 'done' ? releaseValidation(task, reason) : releaseTask(task, { reason, at });
}

/** A done task that a machine judges from now on: each claim has a number that rises, see Task. */
export function claimValidation(task: DoneTask, machine: string): TaskChange<DoneTask> {
  const claim = nextClaimNumber(task.judging?.claim);
  const judging = { machine, claim, commit: task.commit };
  return makeTaskChange(task, { ...task, judging }, `, judged on ${machine}, claim ${claim}`);
}

/** Releases the judging of a task; its claim number stays. */
export function releaseValidation(task: DoneTask, reason: string): TaskChange<DoneTask> {
  if (task.judging === undefined) return makeTaskChange(task, task, '');
  const judging = { ...task.judging, machine: null };
  return makeTaskChange(task, { ...task, judging }, `, no longer judged on ${task.judging.machine}: ${reason}`);
}
