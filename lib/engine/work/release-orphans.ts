import { isTaskStateTrusted } from '../../core/admission/filter-untrusted.ts';
import { addAgentRunCost } from '../../core/schedule/budget-state.ts';
import { listRunningAgentsOfTask } from '../../core/task/attempt-records.ts';
import { releaseTask } from '../../core/task/task-attempt.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { TrustedStore } from '../../domain/ports/store-port.ts';
import type { AgentRunRecord } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { decideAndRecord } from '../record-changes.ts';
import { type RunContext, timestamp } from '../run-context.ts';

/** Frees claims whose agents are gone; those of other living processes stay. Returns the tasks. */
export async function releaseOrphanedClaims(context: RunContext, id: SessionId): Promise<readonly string[]> {
  const isOrphan = await makeOrphanedClaimTest(context);
  let released: readonly string[] = [];
  await decideAndRecord(context, id, ({ tasks }) => {
    const orphans = tasks.filter(isOrphan);
    released = orphans.map((task) => task.id);
    const at = timestamp(context);
    return orphans.length === 0
      ? null
      : { steps: orphans.map((task) => releaseTask(task, { reason: 'its agent has ended', at })) };
  });
  return released;
}

/**
 * Returns a test for claims without a live owner. A person's claim has no agent and stays, and so does one
 * that was made in another clone: its agent is not known here. An agent that isn't registered may be about to
 * start: while the process that made its worktree lives, the claim stays too.
 */
export async function makeOrphanedClaimTest(
  context: Pick<RunContext, 'agents' | 'git' | 'decided' | 'place'>,
): Promise<(task: Task) => boolean> {
  const live = new Set((await context.agents.listLiveAgents()).map(({ id }) => id));
  const cells = new Map((await context.git.cells()).map(({ path, owner }) => [path, owner]));
  return (task) => {
    const { status, agent_id, worktree, claimed_host } = task;
    if (status !== 'claimed' || agent_id === null) return false;
    if (listRunningAgentsOfTask(task).some((agent) => live.has(agent))) return false;
    // Only this clone's own record counts: any process can write an agent's name into a note.
    if (!isTaskStateTrusted(task, context.decided)) return false;
    const cell = cells.get(worktree ?? '');
    // A container may have another name each time: the worktree shows that the claim is this clone's.
    const isOurs = claimed_host === null || claimed_host === context.place || cell !== undefined;
    return isOurs && cell !== 'alive';
  };
}

/**
 * Books the spending of an agent that ended when the tool was killed, so that killing and starting again
 * saves nothing and the session's budget stays right. What is booked already, or cost nothing, is skipped.
 */
export async function bookKilledAgentSpending(
  store: TrustedStore,
  actor: string,
  { session: id, run }: { readonly session: string; readonly run: AgentRunRecord },
): Promise<void> {
  if (run.cost_usd === 0 && run.tokens === 0) return;
  await store.transact((snapshot) => {
    const stored = snapshot.sessions.find((one) => one.id === id);
    if (stored === undefined) return null;
    const { session } = snapshot.admitted(stored.id);
    if (session.agents.some((known) => known.id === run.id)) return null;
    const subject = `session: ${run.id} was killed, ${run.cost_usd.toFixed(4)} USD`;
    return { changes: [{ subject, session: addAgentRunCost(session, run) }], actor };
  });
}
