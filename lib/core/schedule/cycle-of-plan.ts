import type { PlannedTask } from '../../domain/state/plan.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';

/**
 * The cycle a session is in once a plan is approved: the one it is in, where that asks for nothing that isn't pending
 * already or nothing was worked on since the plan before, else the next one.
 */
export function cycleOfPlan(
  { cycle, wave, gates }: Pick<Session, 'cycle' | 'wave' | 'gates'>,
  tasks: readonly Task[],
  plan: readonly Pick<PlannedTask, 'id'>[],
): number {
  if (cycle === 0 || wave === 'plan') return cycle + 1;
  const waiting = new Set<string>(tasks.filter(isWaiting).map(({ id }) => id));
  if (plan.every(({ id }) => waiting.has(id))) return cycle;
  const approved = gates.findLast(({ gate, decision }) => gate === 'plan' && decision === 'approve');
  return approved === undefined || tasks.some((task) => isWorkedOn(task, approved.at)) ? cycle + 1 : cycle;
}

function isWaiting({ status }: Task): boolean {
  return status === 'pending' || status === 'requeued';
}

/** In doubt it was: what changed at the same time counts. */
function isWorkedOn(task: Task, since: string): boolean {
  const { status, history, updated_at: at } = task;
  if (status === 'claimed' || history.some(({ timestamp }) => timestamp >= since)) return true;
  return status !== 'pending' && status !== 'dropped' && at >= since;
}
