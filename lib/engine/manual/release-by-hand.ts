import { reopenSessionForTask } from '../../core/changesets/reopen-session.ts';
import { listExpiredManualClaims, nameTaskHolder } from '../../core/schedule/claimable-tasks.ts';
import { isClaimedByHand } from '../../core/schedule/next-action.ts';
import { listRunningAgentsOfTask } from '../../core/task/attempt-records.ts';
import { withdrawTasks } from '../../core/task/block-dependents.ts';
import { releaseTask } from '../../core/task/task-attempt.ts';
import { dropTask, makeRequeuedTaskPending } from '../../core/task/task-outcome.ts';
import type { TaskChange } from '../../core/task/task-state.ts';
import { changedConcurrentlyError, claimedElsewhereError } from '../../domain/concurrency-errors.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import { type RefName, type SessionId, taskBranch } from '../../domain/ids.ts';
import type { GitWorktrees } from '../../domain/ports/git-port.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import {
  type ChangesToRecord,
  decideAndRecord,
  type RecordContext,
  requireTaskInView,
  viewSession,
} from '../record-changes.ts';
import { keepCommitAsRescue, rescueName } from '../retention/rescue-refs.ts';
import { inform, type RunContext, timestamp, type WithGit } from '../run-context.ts';
import {
  detachPersonWorktree,
  hasWorktreeAt,
  leavePersonWorktree,
  readPersonWorkTip,
  requireClaimedByPerson,
} from './worktree-of-person.ts';

export interface ManualReleaseResult {
  readonly task: Task;
  /** Set if it stays: something in it is not saved, or it is the person's current folder. */
  readonly worktree: string | null;
  /** Name under which commits that were not submitted are kept. */
  readonly rescue: string | null;
}

export interface ManualReleaseOptions {
  readonly task: string;
  readonly reason: string;
  /** Frees another person's claim too, or one made in another clone. */
  readonly isForced: boolean;
  /** Folder the person's command runs in. */
  readonly cwd: string;
}

/**
 * Gives a claim back: the task is pending again, its commits are kept as a rescue, its worktree goes or stays with
 * what is not saved. An agent's claim too, when its agent is gone. A task that failed is tried again, with all its
 * retries. Throws FlameErrors `not-yours`, `agent-at-work`, `claimed-elsewhere`.
 */
export async function releaseByHand(
  context: RunContext,
  session: SessionId,
  wish: ManualReleaseOptions,
): Promise<ManualReleaseResult> {
  const task = requireTaskInView(await viewSession(context, session), wish.task);
  if (task.status === 'failed') return tryAgain(context, task, wish.reason);
  await requireReleasable(context, task, wish.isForced);
  const { rescue, refs } = await keepWork(context, task);
  const done = await decideAndRecord(context, session, (view) => {
    const now = requireTaskInView(view, task.id);
    if (now.rev !== task.rev) return null;
    return { steps: [releaseTask(now, { reason: wish.reason, at: timestamp(context) })], refs };
  });
  if (done.kind !== 'done') throw taskChanged(task);
  const worktree = isClaimedByHand(task) ? await leavePersonWorktree(context, task, wish.cwd) : task.worktree;
  return { task: requireTaskInView(done.view, task.id), worktree, rescue };
}

/** Work of its attempts stays where it is. */
async function tryAgain(
  context: RecordContext,
  { id, session, rev }: Task,
  reason: string,
): Promise<ManualReleaseResult> {
  const done = await decideAndRecord(context, session, (view): ChangesToRecord | null => {
    const now = requireTaskInView(view, id);
    if (now.rev !== rev) return null;
    const reopened = reopenSessionForTask(view.session, id);
    return {
      steps: [makeRequeuedTaskPending(now)],
      body: reason,
      ...(reopened === undefined ? {} : { session: reopened }),
    };
  });
  if (done.kind !== 'done') throw taskChanged({ id });
  return { task: requireTaskInView(done.view, id), worktree: null, rescue: null };
}

/** Drops a task, the person's own claim on it too, and what can't be done without it is blocked. */
export async function dropByHand(
  context: RunContext,
  session: SessionId,
  wish: ManualReleaseOptions,
): Promise<ManualReleaseResult & { readonly blocked: readonly string[] }> {
  const task = requireTaskInView(await viewSession(context, session), wish.task);
  const isClaimed = task.status === 'claimed';
  if (isClaimed) await requireReleasable(context, task, wish.isForced);
  const { rescue, refs } = isClaimed ? await keepWork(context, task) : { rescue: null, refs: [] };
  let blocked: readonly string[] = [];
  const done = await decideAndRecord(context, session, (view): ChangesToRecord | null => {
    const now = requireTaskInView(view, task.id);
    if (now.rev !== task.rev) return null;
    const at = timestamp(context);
    const released: TaskChange[] = isClaimed ? [releaseTask(now, { reason: wish.reason, at })] : [];
    const dropped = dropTask(released[0]?.task ?? now, { reason: wish.reason });
    const steps = withdrawTasks(view.tasks, [dropped], at);
    blocked = steps.slice(1).map((step) => step.task.id);
    return { steps: [...released, ...steps], refs, body: wish.reason };
  });
  if (done.kind !== 'done') throw taskChanged(task);
  const worktree = isClaimedByHand(task)
    ? await leavePersonWorktree(context, task, wish.cwd)
    : await stillThere(context, task);
  return { task: requireTaskInView(done.view, task.id), worktree, rescue, blocked: [...new Set(blocked)] };
}

/** The worktree of an attempt, unless it went when its work was accepted. */
async function stillThere(context: WithGit<GitWorktrees>, { worktree }: Task): Promise<string | null> {
  return worktree !== null && (await hasWorktreeAt(context, worktree)) ? worktree : null;
}

async function requireReleasable(
  context: Pick<RunContext, 'agents' | 'gates' | 'place'>,
  task: Task,
  isForced: boolean,
): Promise<void> {
  if (task.status !== 'claimed' || isClaimedByHand(task))
    return requireClaimedByPerson(task, context.gates.person, isForced);
  const agent = (await context.agents.listLiveAgents()).find(({ id }) =>
    listRunningAgentsOfTask(task).some((one) => one === id),
  );
  if (agent !== undefined) throw agentAtWork(task, agent.id);
  const isHere = task.claimed_host === null || task.claimed_host === context.place;
  if (!isHere && !isForced) throw otherMachine(task);
}

/** A person's commits that no branch is to hold any more, under a rescue ref; and the branch they were on goes. */
async function keepWork(
  context: RunContext,
  task: Task,
): Promise<{ readonly rescue: string | null; readonly refs: NonNullable<ChangesToRecord['refs']> }> {
  if (!isClaimedByHand(task)) return { rescue: null, refs: [] };
  const tip = await readPersonWorkTip(context, task);
  // Off its branch first: git can't take a worktree off a branch that is gone.
  await detachPersonWorktree(context, task);
  const subject = { session: task.session, task: task.id };
  const { elsewhere } = await viewSession(context, task.session);
  // A note of another clone is no proof of the start: its commits are kept.
  const isUntouched = !elsewhere.has(task.id) && (task.start_commit === null || tip === task.start_commit);
  const isWork = tip !== null && !isUntouched;
  const rescue = isWork ? rescueName(await keepCommitAsRescue(context, subject, tip)) : null;
  const ref: RefName = taskBranch(task.session, task.id);
  const old = await context.git.resolveCommit(ref);
  // A branch that held accepted work before stays with it.
  const isOwn = task.branch === null && old !== null && (old === tip || old === task.start_commit);
  return { rescue, refs: isOwn ? [{ ref, old, new: null }] : [] };
}

function agentAtWork(task: Task, agent: string): FlameError {
  return refusedError('agent-at-work', `${agent} is working on ${task.id}.`, [
    `git flame agent stop ${agent}`,
    `git flame agent attach ${agent}`,
  ]);
}

function otherMachine(task: Task): FlameError {
  return claimedElsewhereError(
    'refused',
    `${task.id} was claimed by ${nameTaskHolder(task)} on ${task.claimed_host}. This clone can't see whether that machine still works on it.`,
    [`git flame sync`, `git flame task release ${task.id} --force`],
  );
}

function taskChanged({ id }: Pick<Task, 'id'>): FlameError {
  return changedConcurrentlyError(`Another command changed ${id} at the same moment.`, [`git flame task show ${id}`]);
}

async function release(context: RunContext, task: Task): Promise<boolean> {
  const isHere = task.claimed_host === null || task.claimed_host === context.place;
  const refs = isHere ? (await keepWork(context, task)).refs : [];
  const reason = `${nameTaskHolder(task)} held it longer than limits.claim_timeout allows`;
  const done = await decideAndRecord(context, task.session, (view) => {
    const now = requireTaskInView(view, task.id);
    if (now.rev !== task.rev) return null;
    return { steps: [releaseTask(now, { reason, at: timestamp(context) })], refs };
  });
  return done.kind === 'done';
}

/**
 * Frees claims by hand that are older than `limits.claim_timeout`, and reports them: the task is pending again, commits
 * are kept as a rescue, the worktree stays.
 */
export async function releaseExpiredClaims(context: RunContext, id: SessionId): Promise<void> {
  const { tasks } = await viewSession(context, id);
  const released: string[] = [];
  for (const task of listExpiredManualClaims(tasks, context.config.limits.claim_timeout, context.now()))
    if (await release(context, task)) released.push(task.id);
  if (released.length === 0) return;
  const message = `Claims by a person that are older than limits.claim_timeout were released. Their worktrees stay: ${released.join(', ')}.`;
  inform(context, message);
}
