import { listRunningAgentsOfTask } from '../../core/task/attempt-records.ts';
import { leadTakenOverError } from '../../domain/concurrency-errors.ts';
import type { AgentId, ObjectId, SessionId } from '../../domain/ids.ts';
import type { AgentOutcome, RunningAgent } from '../../domain/ports/agent-port.ts';
import type { Role } from '../../domain/role.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { errorMessage } from '../../util/error-text.ts';
import { isInterrupted } from '../graceful-stop.ts';
import { findReplacingLead, viewSession } from '../record-changes.ts';
import { keepCommitAsRescue, rescueName } from '../retention/rescue-refs.ts';
import { rescueAndRemoveWorktree } from '../retention/rescue-worktree.ts';
import { type RunContext, warn } from '../run-context.ts';
import { releaseOwnHoldings } from './release-holdings.ts';

const lookMs = 1_000;
/** Between SIGTERM and SIGKILL, in milliseconds: others may begin with the task at any moment. */
const graceMs = 2_000;

interface Claim {
  readonly id: AgentId;
  readonly role: Role;
  readonly session: SessionId;
  readonly task: Pick<Task, 'id'> | null;
}

/** Outcome of an agent, and whether the watch ended it because this machine was cut off. */
export type WatchedAgentOutcome = AgentOutcome & { readonly isCutOff?: boolean };

/** A watch over the claim an agent works on, and over the share of the budget it spends. */
export interface ClaimWatch {
  /** Outcome of the agent, with the reason where the watch ended it. */
  judge(outcome: AgentOutcome): WatchedAgentOutcome;
  end(): void;
}

interface Reason {
  readonly message: string;
  readonly isCutOff: boolean;
}

/**
 * Ends an agent of any role once the remote took no heartbeat of this machine for so long that others are about to take
 * over, and to release its reservations; a worker whose task another machine has; and all of a lead that another
 * machine replaced. Its work stays; settling the attempt finds whose the task is.
 */
export function endAgentWhenClaimIsLost(context: RunContext, job: Claim, running: RunningAgent): ClaimWatch {
  const over = new AbortController();
  let why: Reason | null = null;
  const watch = async (): Promise<void> => {
    while (why === null) {
      await context.machine.sleep(lookMs, over.signal);
      if (over.signal.aborted) return;
      // Notes that can't be read at this moment say nothing.
      why = await whyNot(context, job).catch(() => null);
    }
    const message = `${job.id} was stopped: ${why.message}`;
    warn(context, message);
    void running.stop(graceMs);
  };
  if (context.remoteSession !== undefined) void watch();
  return {
    judge: (outcome) =>
      why === null || outcome.failure === null
        ? outcome
        : {
            ...outcome,
            failure: { kind: 'agent-stopped', message: why.message, details: [], retryable: true },
            isCutOff: why.isCutOff,
          },
    end: () => over.abort('over'),
  };
}

/** Resolves once the remote takes heartbeats of this machine again, or the person stops the program. */
export async function waitForReconnect({ machine, remoteSession, signal }: RunContext): Promise<void> {
  while (remoteSession?.isCutOff() === true && !signal.aborted) await machine.sleep(lookMs, signal);
}

/** null: its claim is its own, and so is its share. */
async function whyNot(context: RunContext, { id, role, session, task }: Claim): Promise<Reason | null> {
  const { remoteSession } = context;
  if (remoteSession === undefined) return null;
  const view = await viewSession(context, session);
  const lead = findReplacingLead(context, view);
  if (lead !== null) return { message: `${lead} leads this session now.`, isCutOff: false };
  // A worker alone holds a claim by which another machine could have its task.
  const claimed = role === 'worker' ? task : null;
  if (remoteSession.isCutOff()) {
    const next = claimed === null ? 'another machine may take over' : `${claimed.id} may pass to another machine`;
    const message = `${remoteSession.remote} accepted no heartbeat of this machine for almost the whole lease, so ${next}.`;
    return { message, isCutOff: true };
  }
  if (claimed === null) return null;
  const now = view.snapshot.tasksOf(session).find((one) => one.id === claimed.id);
  if (now === undefined || listRunningAgentsOfTask(now).includes(id)) return null;
  const holder =
    now.claimed_host === null || now.status !== 'claimed' ? '' : `, and ${claimed.id} is now on ${now.claimed_host}`;
  return { message: `Its claim of ${claimed.id} was released${holder}.`, isCutOff: false };
}

interface Attempt {
  readonly session: SessionId;
  readonly task: Task;
  readonly agent: AgentId;
  /** Path of its worktree. */
  readonly path: string;
}

/**
 * An attempt whose claim another one took the place of while it worked: nothing of the task is touched, what it made is
 * kept as a rescue, and it is said.
 */
export async function rescueSupersededWork(
  context: RunContext,
  { session, task, agent, path }: Attempt,
  { now, tip }: { readonly now: Task; readonly tip: ObjectId | null },
): Promise<void> {
  const where = await keepWork(context, { session, task, path }, { tip });
  const holder = now.agent_id === null ? `it is ${now.status} now` : `${now.agent_id} has it now`;
  const place = now.claimed_host === null || now.claimed_host === context.place ? '' : ` on ${now.claimed_host}`;
  context.events.emit({
    event: 'result-superseded',
    task: task.id,
    agent,
    message: `${task.id}: the work of ${agent} does not count, because its claim was released and ${holder}${place}.`,
    details: where === null ? [] : [where],
  });
}

async function keepWork(
  context: RunContext,
  { session, task, path }: Pick<Attempt, 'session' | 'task' | 'path'>,
  { tip }: { readonly tip: ObjectId | null },
): Promise<string | null> {
  const cell = (await context.git.cells()).find((one) => one.path === path);
  if (tip !== null) {
    const ref = await keepCommitAsRescue(context, { session, task: task.id }, tip);
    return `It is kept: git flame rescue show ${rescueName(ref)}`;
  }
  if (cell === undefined) return null;
  const outcome = await rescueAndRemoveWorktree(context, cell, {
    why: 'Its claim was released while it worked.',
    isRequested: false,
  });
  switch (outcome.kind) {
    case 'removed':
      return null;
    case 'rescued':
      return `It is kept: git flame rescue show ${rescueName(outcome.ref)}`;
    case 'kept':
      return `It stays in ${path}.`;
  }
}

/**
 * Handles the end of a run on a machine that leads. If another machine took over the lead, releases its claims, keeps
 * its agents' work as rescues and returns a lead-lost error; otherwise returns the original error.
 */
export async function handleLostLead(context: RunContext, id: SessionId, error: unknown): Promise<unknown> {
  if (context.remoteSession === undefined || isInterrupted(error)) return error;
  const view = await viewSession(context, id).catch(() => null);
  const lead = view === null ? null : findReplacingLead(context, view);
  if (view === null || lead === null) return error;
  // Separately: if the remote is out of reach, claims can't be released, but work is kept all the same.
  const given = await tried(giveUpAll(context, id, lead));
  const kept = await tried(keepAll(context, id, lead));
  const { term = 1 } = view.stored.machines ?? {};
  return leadTakenOverError({
    lead,
    term,
    remote: context.remoteSession.remote,
    freed: given.done,
    kept: kept.done,
    missed: [
      ...(given.why === null
        ? []
        : [
            `The claims of its agents could not be released (${given.why}). They are free once this machine has been silent for the lease.`,
          ]),
      ...(kept.why === null
        ? []
        : [`Unfinished work may still be in the worktrees here (${kept.why}): git flame cleanup`]),
    ],
  });
}

async function tried(
  work: Promise<readonly string[]>,
): Promise<{ readonly done: readonly string[]; readonly why: string | null }> {
  try {
    return { done: await work, why: null };
  } catch (error) {
    return { done: [], why: errorMessage(error).replace(/\.$/, '') };
  }
}

/** Frees what this machine held, whose agents have all ended. Returns the tasks they worked on. */
async function giveUpAll(context: RunContext, id: SessionId, lead: string): Promise<readonly string[]> {
  const freed = await releaseOwnHoldings(context, id, { reason: `${lead} leads now`, isOver: () => true });
  return freed.filter(({ status }) => status === 'claimed').map((task) => task.id);
}

/** Keeps what is in the worktrees of this process as rescues. One line for each that held something: where it is. */
async function keepAll(context: RunContext, id: SessionId, lead: string): Promise<readonly string[]> {
  const kept: string[] = [];
  for (const cell of await context.git.cells()) {
    if (cell.owner !== 'own' || cell.subject?.session !== id) continue;
    const why = `${lead} took over the lead while its agent worked.`;
    const outcome = await rescueAndRemoveWorktree(context, cell, { why, isRequested: false });
    const { task } = cell.subject;
    if (outcome.kind === 'rescued') kept.push(`${task}: git flame rescue show ${rescueName(outcome.ref)}`);
    if (outcome.kind === 'kept') kept.push(`${task}: ${cell.path} (${outcome.reasons[0] ?? ''})`);
  }
  return kept.sort();
}
