import { toAcceptedCommitsDecision } from '../../core/admission/make-decisions.ts';
import { listWorkToBuildOn, type WorkToBuildOn } from '../../core/schedule/work-to-build-on.ts';
import { completeTask } from '../../core/task/task-attempt.ts';
import type { Violation } from '../../domain/agent-policy.ts';
import { branchMovedError } from '../../domain/concurrency-errors.ts';
import { FlameError, refusedError } from '../../domain/flame-error.ts';
import { type ObjectId, type SessionId, taskBranch } from '../../domain/ids.ts';
import { noCommitError } from '../../domain/input-errors.ts';
import type { GitCommits, GitMerging } from '../../domain/ports/git-commits.ts';
import type { GitWorktrees } from '../../domain/ports/git-port.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { BuiltOn, Task } from '../../domain/state/task-schema.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { findViolationsInCommits } from '../post-check/judge-commits.ts';
import { compileWorkerPolicy } from '../post-check/worker-policy.ts';
import {
  decideAndRecord,
  type RecordContext,
  requireTaskInView,
  type SessionView,
  viewSession,
} from '../record-changes.ts';
import { rescueFormerBranchTip } from '../retention/rescue-refs.ts';
import { type RunContext, timestamp, type WithGit } from '../run-context.ts';
import { buildStartPoint, readBaseTip } from '../start-point.ts';
import {
  hasWorktreeAt,
  leavePersonWorktree,
  personWorktreePath,
  readPersonWorkTip,
  requireClaimedByPerson,
  shortTaskBranchName,
} from './worktree-of-person.ts';

interface HandSubmission {
  readonly task: Task;
  /** Not empty: nothing was accepted, the claim stays. */
  readonly violations: readonly Violation[];
  /** The person's worktree if it stays: it is their current folder, or something in it is not saved. */
  readonly worktree: string | null;
}

interface SubmitWish {
  readonly task: string;
  /** Instead of what the worktree or the branch is at. */
  readonly commit: string | null;
  /** Notes for the agent that comes next. */
  readonly notes: string | null;
  /** Uncommitted files stay behind. */
  readonly isForced: boolean;
  /** Folder the person's command runs in. */
  readonly cwd: string;
}

/**
 * Hands in what a person made of a task: its commits are judged as an agent's are, and the task becomes done,
 * with its branch at the work, in one transaction. Validation follows as for any other. Throws FlameErrors
 * `not-yours`, `uncommitted`, `no-commits`, `branch-moved`.
 */
export async function submitByHand(context: RunContext, session: SessionId, wish: SubmitWish): Promise<HandSubmission> {
  const view = await viewSession(context, session);
  const task = requireTaskInView(view, wish.task);
  requireClaimedByPerson(task, context.gates.person, false);
  if (!wish.isForced) await requireSaved(context, task);
  const tip = await tipOf(context, task, wish);
  const from = await startOf(context, view, task, tip);
  const start = from.commit;
  if (tip === start) throw nothingDone(task);
  const violations = await findViolationsInCommits(context, {
    start,
    tip,
    policy: await compileWorkerPolicy(context, {
      worktree: personWorktreePath(context, task) ?? '/',
      fileLocks: task.file_locks,
      start,
    }),
    ours: [],
    signer: null,
  });
  if (violations.length > 0) return { task, violations, worktree: task.worktree };
  const done = await complete(context, task, { from, tip, notes: wish.notes });
  return { task: done, violations, worktree: await leavePersonWorktree(context, done, wish.cwd) };
}

async function requireSaved(
  context: Pick<RunContext, 'config' | 'root'> & WithGit<GitWorktrees>,
  task: Task,
): Promise<void> {
  const { id } = task;
  const worktree = personWorktreePath(context, task);
  if (worktree === null || !(await hasWorktreeAt(context, worktree))) return;
  const dirty = await context.git.dirtyPaths(worktree);
  if (dirty.length === 0) return;
  throw new FlameError({
    kind: 'refused',
    code: 'uncommitted',
    message: `The worktree of ${id} has uncommitted changes.`,
    details: dirty.slice(0, 20),
    hints: [
      `git -C ${shellQuote(worktree)} add -A && git -C ${shellQuote(worktree)} commit`,
      `To submit without them: git flame task submit ${id} --force`,
    ],
  });
}

async function tipOf(
  context: Pick<RunContext, 'config' | 'root'> & WithGit<GitCommits & GitWorktrees>,
  task: Task,
  { commit, cwd }: SubmitWish,
): Promise<ObjectId> {
  if (commit !== null) {
    const named = await context.git.resolveCommit(commit);
    if (named === null)
      throw noCommitError(`There is no commit ${JSON.stringify(commit)}.`, {
        kind: 'usage',
        hints: ['git log'],
      });
    return named;
  }
  const tip = (await readPersonWorkTip(context, task)) ?? (await context.git.head(cwd)).commit;
  if (tip === null) throw nothingDone(task);
  return tip;
}

interface SubmitContext {
  readonly commit: ObjectId;
  /** Absent: as the task says it when the work is taken in. */
  readonly builtOn?: BuiltOn;
}

/** Commit the work starts from: as claimed, or where the branch left the base, after a rebase. */
async function startOf(
  context: Pick<RunContext, 'config'> & WithGit<GitCommits & GitMerging>,
  view: SessionView,
  task: Task,
  tip: ObjectId,
): Promise<SubmitContext> {
  const { git } = context;
  const { start_commit: claimed } = task;
  if (claimed !== null && (await git.isAncestor(claimed, tip))) return { commit: claimed };
  const point = await buildStartPoint(context, view.session, task, view.tasks);
  if (point.kind === 'start' && (await git.isAncestor(point.commit, tip))) return point;
  const base = await readBaseTip(context, view.session);
  const below = listWorkToBuildOn(task, view.tasks, context.config.concurrency.overlap);
  const fork = (await holdsNoneOf(context, tip, below)) ? await git.mergeBase(base, tip) : null;
  if (fork !== null) return { commit: fork, builtOn: [] };
  throw notBasedOnStart(task, view.session, point.kind === 'start' ? point.commit : base);
}

/**
 * Work of unmerged dependencies is on no base branch: without it below, theirs would count as this task's. Of
 * overlapping tasks the person may have left it out, as long as they took none of it along.
 */
async function holdsNoneOf(
  { git }: WithGit<GitCommits>,
  tip: ObjectId,
  below: readonly WorkToBuildOn[],
): Promise<boolean> {
  for (const { commit, lock } of below) if (lock === null || (await git.isAncestor(commit, tip))) return false;
  return true;
}

async function complete(
  context: RecordContext & Pick<RunContext, 'configDigest' | 'git'>,
  task: Task,
  work: {
    readonly from: SubmitContext;
    readonly tip: ObjectId;
    readonly notes: string | null;
  },
): Promise<Task> {
  const person = context.gates.person;
  const ref = taskBranch(task.session, task.id);
  const old = await context.git.resolveCommit(ref);
  await rescueFormerBranchTip(context, { session: task.session, task: task.id }, { old, tip: work.tip });
  const done = await decideAndRecord(context, task.session, (view) => {
    const now = requireTaskInView(view, task.id);
    requireClaimedByPerson(now, person, false);
    const step = completeTask(now, {
      commit: work.tip,
      start: work.from.commit,
      branch: shortTaskBranchName(task),
      ...(work.from.builtOn === undefined ? {} : { builtOn: work.from.builtOn }),
      notes: work.notes ?? `Submitted by ${person}.`,
      at: timestamp(context),
      cost: 0,
      tokens: 0,
    });
    // Where it is there already it is verified to be there still.
    const accepted = [toAcceptedCommitsDecision(step.task, context.configDigest)];
    return { steps: [step], refs: [{ ref, old, new: work.tip }], actor: person, accepted };
  });
  if (done.kind === 'done') return requireTaskInView(done.view, task.id);
  throw branchMovedError(shortTaskBranchName(task), `while ${task.id} was being submitted`, [
    `git flame task submit ${task.id}`,
  ]);
}

function nothingDone({ id }: Task): FlameError {
  return refusedError('no-commits', `There is no commit to submit for ${id} yet.`, [
    `git flame task show ${id}`,
    `git flame task release ${id}`,
  ]);
}

function notBasedOnStart({ id }: Task, session: Session, start: ObjectId): FlameError {
  return refusedError(
    'not-on-start',
    `The commits are not based on the start of ${id}: ${findLandingBranch(session)} with the work it depends on.`,
    [`git rebase ${start}`],
  );
}
