import { withoutReservations } from '../../core/schedule/reserve-share.ts';
import { releaseTask } from '../../core/task/task-attempt.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Reservation } from '../../domain/state/session.ts';
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
  await returnShares(workshop, id);
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
 * Gives back what agents of such machines had set aside: they were ended before its lease was, whatever
 * their role. What they had spent of it is booked once their clone is back.
 */
async function returnShares(workshop: Workshop, id: SessionId): Promise<void> {
  const { sharing } = workshop;
  if (sharing === undefined) return;
  const isGivenUp = ({ machine }: Reservation): boolean =>
    machine !== sharing.machine && sharing.isGone(machine);
  if (!((await viewSession(workshop, id)).session.reservations ?? []).some(isGivenUp)) return;
  let returned: readonly Reservation[] = [];
  await record(workshop, id, ({ session }) => {
    returned = (session.reservations ?? []).filter(isGivenUp);
    const subject = 'session: what machines had set aside that gave no sign of life is given back';
    return returned.length === 0
      ? null
      : { session: { next: withoutReservations(session, isGivenUp), subject } };
  });
  for (const { agent, machine, cost_usd, tokens } of returned) {
    const share = tokens > 0 ? `${tokens} tokens` : `$${cost_usd.toFixed(2)}`;
    const message = `${share} that ${agent} on ${machine} had set aside are given back: it gave no sign of life. What it spent of that is booked once its clone is back.`;
    workshop.events.emit({ event: 'notice', level: 'warning', message });
  }
}

/** Whether an agent on another machine has it. A person's claim has no lease. */
export function isElsewhere({ place }: Pick<Workshop, 'place'>, task: Task): boolean {
  const { status, agent_id, claimed_host } = task;
  return status === 'claimed' && agent_id !== null && claimed_host !== null && claimed_host !== place;
}
