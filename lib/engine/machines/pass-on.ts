import { presumeSpent } from '../../core/schedule/budget-state.ts';
import { releaseTask } from '../../core/task/task-attempt.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Reservation } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { record, viewSession } from '../record.ts';
import { timestamp, type Workshop } from '../workshop.ts';

/**
 * Releases claims of machines without a heartbeat for their lease. A silent machine may work all the same: its claims
 * have numbers, so a result of an earlier one changes nothing.
 */
export async function passOnClaims(workshop: Workshop, id: SessionId): Promise<void> {
  const { sharing } = workshop;
  if (sharing === undefined) return;
  await presumeShares(workshop, id);
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

/**
 * Counts reservations of such machines' agents as spent from now on, in every role: they may have spent all of it.
 * Their clone reports the real amount once it is back.
 */
async function presumeShares(workshop: Workshop, id: SessionId): Promise<void> {
  const { sharing } = workshop;
  if (sharing === undefined) return;
  const isGivenUp = ({ machine, presumed }: Reservation): boolean =>
    presumed !== true && machine !== sharing.machine && sharing.isGone(machine);
  if (!((await viewSession(workshop, id)).session.reservations ?? []).some(isGivenUp)) return;
  let returned: readonly Reservation[] = [];
  await record(workshop, id, ({ session }) => {
    returned = (session.reservations ?? []).filter(isGivenUp);
    const subject = 'session: what machines had set aside that gave no sign of life counts as spent';
    return returned.length === 0 ? null : { session: { next: presumeSpent(session, isGivenUp), subject } };
  });
  for (const { agent, machine, cost_usd, tokens } of returned) {
    const share = tokens > 0 ? `${tokens} tokens` : `$${cost_usd.toFixed(2)}`;
    const message = `${share} that ${agent} on ${machine} had set aside count as spent: it gave no sign of life. What it did not spend of that is free again once its clone is back.`;
    workshop.events.emit({ event: 'notice', level: 'warning', message });
  }
}

/** Whether an agent on another machine has it. A person's claim has no lease. */
export function isElsewhere({ place }: Pick<Workshop, 'place'>, task: Task): boolean {
  const { status, agent_id, claimed_host } = task;
  return status === 'claimed' && agent_id !== null && claimed_host !== null && claimed_host !== place;
}
