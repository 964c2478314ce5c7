import { nextClaim } from '../../domain/state/machine.ts';
import type { DoneTask, Task } from '../../domain/state/task.ts';
import { describeChange, type TaskChange } from '../task/task-state.ts';

/** The machine that judges exactly the commit a task has; null: none does. */
export function judgeOf({ commit, judging }: Task): string | null {
  return judging !== undefined && judging.commit === commit ? judging.machine : null;
}

/** A done task that a machine judges from now on: each claim has a number that rises, see Task. */
export function claimJudging(task: DoneTask, machine: string): TaskChange<DoneTask> {
  const claim = nextClaim(task.judging?.claim);
  const judging = { machine, claim, commit: task.commit };
  return describeChange(task, { ...task, judging }, `, judged on ${machine}, claim ${claim}`);
}

/** Releases the judging of a task; its claim number stays. */
export function releaseJudging(task: DoneTask, reason: string): TaskChange<DoneTask> {
  if (task.judging === undefined) return describeChange(task, task, '');
  const judging = { ...task.judging, machine: null };
  return describeChange(
    task,
    { ...task, judging },
    `, no longer judged on ${task.judging.machine}: ${reason}`,
  );
}
