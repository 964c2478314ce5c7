import { listDecisionsOfManualTask, toAcceptedCommitsDecision } from '../../core/admission/make-decisions.ts';
import type { LandedChangeset } from '../../core/changesets/changeset-decision.ts';
import { claimTask, completeTask } from '../../core/task/task-attempt.ts';
import { applyVerdictToTask } from '../../core/task/task-outcome.ts';
import { branchMovedError } from '../../domain/concurrency-errors.ts';
import { FlameError, refusedError } from '../../domain/flame-error.ts';
import { type ObjectId, parseTaskId, type SessionId, type TaskId, taskBranch } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { shortId } from '../../util/short-names.ts';
import { shortTaskBranchName } from '../manual/worktree-of-person.ts';
import { makeTaskOfPlannedTask } from '../plan/turn-plan-into-tasks.ts';
import {
  type ChangesToRecord,
  decideAndRecord,
  requireTaskInView,
  type SessionView,
  viewSession,
} from '../record-changes.ts';
import { type RunContext, timestamp } from '../run-context.ts';
import { readBaseTip } from '../start-point.ts';
import { diagnoseCommit } from '../validate/run-diagnostics.ts';
import type { LandingToUndo } from './plan-landing-undo.ts';

/** Locks of so many files say nothing more than their folders. */
const mostLocks = 100;

/**
 * Makes a task whose work takes a landing back on what the branch holds now: diagnosed, and passed by the person who asked
 * for it. It is merged, shown and landed as any other; what becomes of the tasks that had landed follows with its own
 * landing. Throws FlameErrors `undo-conflict`, `nothing-to-undo`.
 */
export async function makeRevertTask(context: RunContext, id: SessionId, reverting: LandingToUndo): Promise<Task> {
  const view = await viewSession(context, id);
  const tip = await readBaseTip(context, view.session);
  const work = await revertOnto(context, view.session, { tip, changeset: reverting.changeset });
  const diagnostics = await diagnoseCommit(context, work.commit, tip, {
    session: id,
    words: `taking back ${reverting.changeset.group}`,
  });
  let made: TaskId | undefined;
  const done = await decideAndRecord(context, id, (now) => {
    const { task, steps } = revertTask(context, now, { ...reverting, work });
    made = task.id;
    const judged = validateRequestedRevert(context, task, {
      ...reverting,
      ...work,
      diagnostics: [...diagnostics],
    });
    return {
      ...addedToSession(now.session, task.id, context.gates.person),
      newTasks: { tasks: [task], subject: `${task.id}: added by ${context.gates.person}` },
      steps: [...steps, applyVerdictToTask(steps[steps.length - 1]?.task ?? task, judged)],
      verdict: judged,
      refs: [{ ref: taskBranch(id, task.id), old: null, new: work.commit }],
      accepted: [
        ...listDecisionsOfManualTask(task),
        ...steps.map(({ task: one }) => toAcceptedCommitsDecision(one, context.configDigest)),
      ],
      body: reverting.wish.notes,
    };
  });
  if (done.kind !== 'done' || made === undefined)
    throw branchMovedError(`blueflame/${id}/${made ?? ''}`, 'while the revert was recorded', ['git flame undo']);
  return requireTaskInView(done.view, made);
}

interface RevertWork {
  readonly tip: ObjectId;
  readonly commit: ObjectId;
  readonly tree: ObjectId;
  readonly paths: readonly string[];
}

/** Commit of the branch before a changeset landed on it. */
export async function findCommitBeforeLanding(
  git: GitCommits,
  { landed_commit: landed, landed_onto: onto }: LandedChangeset,
): Promise<ObjectId> {
  const before = onto ?? (await git.readCommit(landed)).parents[0];
  if (before === undefined) throw new Error(`${landed} has no parent`);
  return before;
}

/** Reverts the changes of a landing, on the branch as it is. */
async function revertOnto(
  { git }: Pick<RunContext, 'git'>,
  session: Session,
  { tip, changeset }: { readonly tip: ObjectId; readonly changeset: LandedChangeset },
): Promise<RevertWork> {
  const { landed_commit: landed } = changeset;
  const { message } = await git.readCommit(landed);
  const before = await findCommitBeforeLanding(git, changeset);
  const merge = await git.mergeDifferenceOnto(tip, landed, before);
  if (merge.kind === 'conflict') throw conflicts(session, changeset, merge.paths);
  const { tree } = merge;
  if (tree === (await git.readCommit(tip)).tree) throw nothingLeft(session, changeset);
  const subject = message.split('\n')[0] ?? changeset.group;
  // As git revert says it.
  const words = `Revert ${JSON.stringify(subject)}\n\nThis reverts commit ${landed}, reversing\nchanges made to ${before}.\n`;
  const commit = await git.writeSignedCommit({ tree, parents: [tip], message: words });
  const paths = (await git.treeChanges(tip, commit)).map(({ path }) => path);
  return { tip, commit, tree, paths };
}

function revertTask(
  context: Pick<RunContext, 'gates' | 'now' | 'place'>,
  view: SessionView,
  { changeset, wish, work }: LandingToUndo & { readonly work: RevertWork },
): { readonly task: Task; readonly steps: ChangesToRecord['steps'] & readonly { readonly task: Task }[] } {
  const at = timestamp(context);
  const { follow, notes, keep } = wish;
  const id = freeId(view, changeset.group);
  const planned = {
    id,
    title: `Revert ${changeset.group}`,
    priority: 1,
    cohesion_group: undoName(changeset.group),
    description: `Revert the landing of changeset ${changeset.id}, commit ${changeset.landed_commit}: ${notes}`,
    dependencies: [],
    file_locks: locksOf(work.paths),
    model: null,
    adapter: null,
    acceptance_criteria: [],
    constraints: [],
  };
  const task: Task = {
    ...makeTaskOfPlannedTask(context, view, planned, at),
    takes_back: { changeset: changeset.id, follow, notes, keep },
  };
  const person = context.gates.person;
  const claimed = claimTask(task, {
    agentId: null,
    worktree: null,
    at,
    claimedBy: person,
    host: context.place,
    start: work.tip,
  });
  const done = completeTask(claimed.task, {
    commit: work.commit,
    start: work.tip,
    branch: shortTaskBranchName(task),
    at,
    cost: 0,
    tokens: 0,
    notes: `Reverts ${shortId(changeset.landed_commit)}: ${notes}`,
  });
  return { task, steps: [claimed, done] };
}

/** The person who asked for it answers for it; what its checks found is shown at the gate. */
function validateRequestedRevert(
  context: Pick<RunContext, 'gates' | 'now'>,
  { session, id }: Task,
  { changeset, wish, tip, commit, tree, diagnostics }: LandingToUndo & RevertWork & Pick<Verdict, 'diagnostics'>,
): Verdict {
  const notes = `Reverts ${changeset.id}: ${wish.notes}`;
  const by = context.gates.person;
  return {
    session,
    task: id,
    commit,
    base: tip,
    tree,
    status: 'pass',
    notes,
    issues: [],
    diagnostics,
    by,
    at: timestamp(context),
    cost_usd: 0,
    tokens: 0,
    override: notes,
  };
}

function addedToSession(session: Session, task: TaskId, person: string): Pick<ChangesToRecord, 'session'> {
  if (session.state !== 'ended') return {};
  const next: Session = { ...session, state: 'active', wave: 'work' };
  return { session: { next, subject: `session: open again, for ${task} by ${person}` } };
}

function freeId({ tasks }: SessionView, group: string): TaskId {
  const taken = new Set<string>(tasks.map(({ id }) => id));
  const name = undoName(group);
  let id: string = name;
  for (let n = 2; taken.has(id); n += 1) id = `${name}-${n}`;
  return parseTaskId(id);
}

/** Groups that need each other are one changeset, `a+b`, and any name may be as long as a name can be. */
function undoName(group: string): TaskId {
  return parseTaskId(
    `undo-${group
      .replace(/[^a-z0-9-]+/g, '-')
      .slice(0, 50)
      .replace(/-+$/, '')}`,
  );
}

function locksOf(paths: readonly string[]): string[] {
  if (paths.length <= mostLocks) return [...paths];
  return [...new Set(paths.map((path) => path.split('/').slice(0, 1).join('/')))];
}

function conflicts(
  session: Session,
  { id, landed_commit: landed }: LandedChangeset,
  paths: readonly string[],
): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'undo-conflict',
    message: `Later landings on ${findLandingBranch(session)} changed the same lines as ${id}, so git can't revert ${id} alone.`,
    details: paths.slice(0, 20),
    hints: [
      `git log --oneline ${shortId(landed)}..${findLandingBranch(session)} -- ${paths.slice(0, 3).join(' ')}`,
      'Take the later landings back first, or add a task that does it: git flame task add TITLE --locks PATH',
    ],
  });
}

function nothingLeft(session: Session, { id }: LandedChangeset): FlameError {
  return refusedError('nothing-to-undo', `${findLandingBranch(session)} no longer has any change of ${id}.`, [
    `git flame show ${id}`,
    'git flame status',
  ]);
}
