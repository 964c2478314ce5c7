import { releaseTask } from '../../core/task/task-attempt.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task.ts';
import { record, viewSession } from '../record.ts';
import { timestamp, type Workshop } from '../workshop.ts';

/**
 * Frees what machines hold that gave no sign of life for their lease. Who is silent may work all the same: its claims
 * have numbers, so a result of an earlier one changes nothing.
 */
export async function passOnClaims(workshop: Workshop, id: SessionId): Promise<void> {
  const { sharing } = workshop;
  if (sharing === undefined) return;
  const isGivenUp = (task: Task): boolean =>
    isElsewhere(workshop, task) && sharing.isGone(task.claimed_host ?? '');
  if (!(await viewSession(workshop, id)).tasks.some(isGivenUp)) return;
  let passed: readonly Task[] = [];
  await record(workshop, id, ({ tasks }) => {
    passed = tasks.filter(isGivenUp);
    const at = timestamp(workshop);
    const reason = (task: Task): string => `${task.claimed_host} gave no sign of life`;
    return passed.length === 0
      ? null
      : { steps: passed.map((task) => releaseTask(task, { reason: reason(task), at })) };
  });
  for (const { id: task, agent_id, claimed_host } of passed)
    workshop.events.emit({
      event: 'claim-passed-on',
      task,
      agent: agent_id,
      machine: claimed_host ?? '',
      message: `${task} is free again: ${claimed_host} gave no sign of life.`,
    });
}

/** Whether an agent on another machine has it. A person's claim has no lease. */
export function isElsewhere({ place }: Pick<Workshop, 'place'>, task: Task): boolean {
  const { status, agent_id, claimed_host } = task;
  return status === 'claimed' && agent_id !== null && claimed_host !== null && claimed_host !== place;
}
