import { listDecisionsOfManualTask } from '../../core/admission/make-decisions.ts';
import { reopenSessionForTask } from '../../core/changesets/reopen-session.ts';
import { isClaimedByPerson } from '../../core/schedule/claimable-tasks.ts';
import { makeManualClaimChanges, whyNotClaimableByHand } from '../../core/schedule/manual-claim-rules.ts';
import { selectReadyTasks } from '../../core/schedule/select-ready.ts';
import { releaseTask } from '../../core/task/task-attempt.ts';
import { sessionIsSharedError } from '../../domain/concurrency-errors.ts';
import { FlameError, refusedError } from '../../domain/flame-error.ts';
import { type ObjectId, type SessionId, taskBranch } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitRefs, GitWorktrees } from '../../domain/ports/git-port.ts';
import type { Role } from '../../domain/role.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { recordLocksAfterRenames } from '../lock-paths.ts';
import { copyFilesIntoWorktree } from '../prepare-worktree.ts';
import { decideAndRecord, type RecordContext, requireTaskInView, viewSession } from '../record-changes.ts';
import { keepCommitAsRescue } from '../retention/rescue-refs.ts';
import { type RunContext, timestamp, type WithGit } from '../run-context.ts';
import { describeWorkToBuildOn } from '../stacking/block-on-conflict.ts';
import { buildStartPoint, type StartPoint } from '../start-point.ts';
import { releaseExpiredClaims } from './release-by-hand.ts';
import {
  findFreeWorktreePath,
  folderName,
  hasWorktreeAt,
  personWorktreePath,
  shortTaskBranchName,
} from './worktree-of-person.ts';

interface HandClaim {
  readonly task: Task;
  /** null: the person works where they like. */
  readonly worktree: string | null;
  /** Checked out in the worktree. */
  readonly branch: string | null;
}

/** The next task by the scheduler's rules that is for this role; null: none, and why. */
export function selectNextTaskToClaim(
  tasks: readonly Task[],
  { limit, now, role }: { readonly limit: number; readonly now: Date; readonly role: Role | null },
): { readonly task: Task | null; readonly why: string } {
  const rules = { tasks, running: [], now: now.getTime() };
  const wanted = (task: Task): boolean => role === null || task.role === role;
  const task = selectReadyTasks({ ...rules, limit }).selected.find(wanted);
  if (task !== undefined) return { task, why: '' };
  const deferred = selectReadyTasks({ ...rules, limit }).deferred.find((one) => wanted(one.task));
  if (deferred !== undefined) return { task: null, why: `${deferred.task.id} waits: ${deferred.because}` };
  const open = tasks.filter(({ status }) => status === 'pending').length;
  return { task: null, why: open === 0 ? 'none is pending' : `${open} pending, but none can start yet` };
}

/**
 * Claims a task for the person, the next one where none is named, and makes a worktree for it on the task's
 * branch. If the worktree of what they hold is gone, it is made again. Throws FlameErrors `already-yours`,
 * `task-not-free`, `nothing-ready`.
 */
export async function claimByHand(
  context: RunContext,
  session: SessionId,
  wish: { readonly task: string | null; readonly role: Role | null; readonly wantsWorktree: boolean },
): Promise<HandClaim> {
  await releaseExpiredClaims(context, session);
  for (;;) {
    const view = await viewSession(context, session);
    // Another machine's agent may be taking the same task at the remote.
    if (view.session.machines !== undefined && context.remoteSession === undefined) throw sessionIsSharedError(session);
    const task = wish.task === null ? pick(context, view.tasks, wish.role) : requireTaskInView(view, wish.task);
    if (isClaimedByPerson(task, context.gates.person)) return resumeClaim(context, task, wish.wantsWorktree);
    requireFree(context, task, view.tasks);
    const start = await buildStartPoint(context, view.session, task, view.tasks);
    if (start.kind === 'conflict') throw startConflict(task, start);
    if (await recordLocksAfterRenames(context, view, task, start.commit)) continue;
    const startText = describeWorkToBuildOn(context, task, view.tasks);
    const worktree = wish.wantsWorktree ? await findFreeWorktreePath(context, folderName(task)) : null;
    const claimed = await claim(context, task, { worktree, start, startText });
    if (claimed === null) continue;
    return worktree === null
      ? { task: claimed, worktree, branch: null }
      : settleIn(context, claimed, { worktree, start: start.commit });
  }
}

function pick(context: Pick<RunContext, 'config' | 'now'>, tasks: readonly Task[], role: Role | null): Task {
  const limit = context.config.concurrency.development;
  const { task, why } = selectNextTaskToClaim(tasks, { limit, now: context.now(), role });
  if (task !== null) return task;
  throw refusedError('nothing-ready', `No task is ready: ${why}.`, ['git flame status']);
}

function requireFree(context: Pick<RunContext, 'config'>, task: Task, tasks: readonly Task[]): void {
  const objection = whyNotClaimableByHand(task, tasks, context.config.concurrency.development);
  if (objection === null) return;
  throw new FlameError({
    kind: 'refused',
    code: 'task-not-free',
    message: `${task.id} can't be claimed: it ${objection}.`,
    hints: ['git flame task next', `git flame task show ${task.id}`],
    data: { task: task.id, status: task.status },
  });
}

interface Beginning {
  readonly worktree: string | null;
  readonly start: Extract<StartPoint, { readonly kind: 'start' }>;
  /** See groundOf. */
  readonly startText: string;
}

/** By compare-and-swap; null if another process was quicker. */
async function claim(
  context: RecordContext & Pick<RunContext, 'place'>,
  task: Task,
  { worktree, start, startText }: Beginning,
): Promise<Task | null> {
  const person = context.gates.person;
  const done = await decideAndRecord(context, task.session, (view) => {
    const now = requireTaskInView(view, task.id);
    // Other tasks matter only if they now block this one; any other change to them needs no retry.
    if (now.rev !== task.rev) return null;
    if (whyNotClaimableByHand(now, view.tasks, context.config.concurrency.development) !== null) return null;
    if (describeWorkToBuildOn(context, now, view.tasks) !== startText) return null;
    const { commit, builtOn } = start;
    const at = timestamp(context);
    const reopened = reopenSessionForTask(view.session, task.id);
    const steps = makeManualClaimChanges(now, {
      worktree,
      at,
      claimedBy: person,
      host: context.place,
      start: commit,
      builtOn,
    });
    // By taking a received task, the person accepts it.
    return {
      steps,
      accepted: listDecisionsOfManualTask(task),
      ...(reopened === undefined ? {} : { session: reopened }),
    };
  });
  return done.kind === 'done' ? requireTaskInView(done.view, task.id) : null;
}

async function resumeClaim(context: RunContext, task: Task, wantsWorktree: boolean): Promise<HandClaim> {
  const worktree = personWorktreePath(context, task);
  const { id, start_commit: start } = task;
  if (worktree === null || start === null || !wantsWorktree) throw alreadyYours({ id, worktree });
  if (!(await hasWorktreeAt(context, worktree))) return settleIn(context, task, { worktree, start });
  // A kill may have come before they were there; what is there already stays.
  await copyFilesIntoWorktree(context, worktree);
  throw alreadyYours({ id, worktree });
}

/** Error for a second claim of one identity: only one of them may go to work. */
function alreadyYours({ id, worktree }: Pick<Task, 'id' | 'worktree'>): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'already-yours',
    message: `You already have ${id}${worktree === null ? '' : `: its worktree is ${worktree}`}.`,
    hints: [...(worktree === null ? [] : [`cd ${shellQuote(worktree)}`]), `git flame task submit ${id}`],
    data: { task: id, worktree },
  });
}

interface Place {
  readonly worktree: string;
  readonly start: ObjectId;
}

/** A worktree that can't be made leaves no claim behind. */
async function settleIn(context: RunContext, task: Task, place: Place): Promise<HandClaim> {
  const { worktree } = place;
  try {
    await makeWorktree(context, task, place);
    await copyFilesIntoWorktree(context, worktree);
  } catch (error) {
    await decideAndRecord(context, task.session, (view) => {
      const now = requireTaskInView(view, task.id);
      if (!isClaimedByPerson(now, context.gates.person)) return null;
      const reason = error instanceof Error ? error.message : 'no worktree could be made';
      return { steps: [releaseTask(now, { reason, at: timestamp(context) })] };
    });
    throw error;
  }
  return { task, worktree, branch: shortTaskBranchName(task) };
}

/**
 * Reuses the branch if it descends from the task's start commit; else keeps it as a rescue and starts over.
 */
async function makeWorktree(
  context: Pick<RunContext, 'gates' | 'store'> & WithGit<GitCommits & GitRefs & GitWorktrees>,
  task: Task,
  { worktree: path, start }: Place,
): Promise<void> {
  const { git } = context;
  const branch = shortTaskBranchName(task);
  const tip = await git.resolveCommit(taskBranch(task.session, task.id));
  if (tip === null) return git.addPersonWorktree(path, { branch, start, mode: 'new' });
  if (await git.isAncestor(start, tip)) return git.addPersonWorktree(path, { branch, start, mode: 'as-is' });
  if (!(await git.isAncestor(tip, start)))
    await keepCommitAsRescue(context, { session: task.session, task: task.id }, tip);
  return git.addPersonWorktree(path, { branch, start, mode: 'reset' });
}

function startConflict(
  task: Task,
  { with: other, paths }: Extract<StartPoint, { readonly kind: 'conflict' }>,
): FlameError {
  return refusedError(
    'dependencies-conflict',
    `${task.id} can't start yet: the works it is stacked on conflict, ${other} in ${paths.join(', ')}. It can start once one of them has landed.`,
    ['git flame merge', `git flame task show ${other}`],
  );
}
