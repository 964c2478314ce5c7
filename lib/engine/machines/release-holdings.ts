import { findTaskHolder, releaseFromHolder } from '../../core/machines/task-holder.ts';
import { presumeReservationsSpent, withoutReservations } from '../../core/schedule/budget-state.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { BudgetReservation } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { decideAndRecord, recordUnderAnyLead, type SessionView, viewSession } from '../record-changes.ts';
import { type RunContext, timestamp, warn } from '../run-context.ts';

interface Holdings {
  /** Tasks its agents work on, and those whose commits it judges. */
  readonly tasks: readonly Task[];
  readonly shares: readonly BudgetReservation[];
}

/**
 * Frees the tasks that machines hold without a heartbeat for their lease, and counts their shares of the budget as
 * spent until their clones say what they spent. A silent machine may work all the same: claims have numbers, so a
 * result of an earlier one changes nothing.
 */
export async function releaseHoldingsOfGoneMachines(context: RunContext, id: SessionId): Promise<void> {
  const { remoteSession, place } = context;
  if (remoteSession === undefined) return;
  const isGone = (machine: string | null): boolean =>
    machine !== null && machine !== place && remoteSession.isGone(machine);
  const find = ({ session, tasks }: Pick<SessionView, 'session' | 'tasks'>): Holdings => ({
    tasks: tasks.filter((task) => isGone(findTaskHolder(task))),
    shares: (session.reservations ?? []).filter((one) => one.presumed !== true && isGone(one.machine)),
  });
  let left = find(await viewSession(context, id));
  if (left.tasks.length + left.shares.length === 0) return;
  await decideAndRecord(context, id, (view) => {
    left = find(view);
    const at = timestamp(context);
    const steps = left.tasks.map((task) =>
      releaseFromHolder(task, { reason: `${findTaskHolder(task)} ${silent}`, at }),
    );
    if (left.shares.length === 0) return steps.length === 0 ? null : { steps };
    const next = presumeReservationsSpent(view.session, ({ machine }) => isGone(machine));
    return { steps, session: { next, subject: 'session: reservations of silent machines count as spent' } };
  });
  reportReleased(context, left);
}

const silent = 'sent no heartbeat';

function reportReleased({ events }: Pick<RunContext, 'events'>, { tasks, shares }: Holdings): void {
  for (const task of tasks) {
    const machine = findTaskHolder(task) ?? '';
    const message = `${task.id} ${task.status === 'done' ? 'must be judged again' : 'is free again'}: ${machine} ${silent}.`;
    events.emit({ event: 'claim-passed-on', task: task.id, agent: task.agent_id, machine, message });
  }
  for (const { agent, machine, cost_usd, tokens } of shares) {
    const share = tokens > 0 ? `${tokens} tokens` : `$${cost_usd.toFixed(2)}`;
    const message = `${share} reserved for ${agent} on ${machine} count as spent, because that machine ${silent}. What the agent did not spend is free again once its clone is back.`;
    warn({ events }, message);
  }
}

/**
 * Frees tasks that this machine holds and that `isOver` names, and the shares of its agents that don't run any more.
 * Returns the tasks as they were.
 */
export async function releaseOwnHoldings(
  context: RunContext,
  id: SessionId,
  { reason, isOver }: { readonly reason: string; readonly isOver: (task: Task) => boolean },
): Promise<readonly Task[]> {
  const { remoteSession, place } = context;
  if (remoteSession === undefined) return [];
  const live = new Set<string>((await context.agents.listLiveAgents()).map((agent) => agent.id));
  let freed: readonly Task[] = [];
  await recordUnderAnyLead(context, id, ({ session, tasks }) => {
    const at = timestamp(context);
    freed = tasks.filter((task) => findTaskHolder(task) === place && isOver(task));
    const steps = freed.map((task) => releaseFromHolder(task, { reason, at }));
    const next = withoutReservations(session, ({ agent, machine }) => machine === place && !live.has(agent));
    if (next === session) return steps.length === 0 ? null : { steps };
    return { steps, session: { next, subject: 'session: reservations of this machine released' } };
  });
  return freed;
}
