import { toLandedDecision } from '../../core/admission/make-decisions.ts';
import {
  findLandedChangeset,
  type LandedChangeset,
  withLandingReverted,
} from '../../core/changesets/changeset-decision.ts';
import { withdrawTasks } from '../../core/task/block-dependents.ts';
import { isTaskBuiltOnTask } from '../../core/task/stack-state.ts';
import { type LandingUndoOptions, takeBackTaskLanding } from '../../core/task/take-back-task.ts';
import { addWorkBuiltOn } from '../../core/task/task-attempt.ts';
import type { TaskChange } from '../../core/task/task-state.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import type { ObjectId, SessionId, TaskId } from '../../domain/ids.ts';
import { noChangesetError } from '../../domain/input-errors.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import { findLandingBranch, listOpenPullRequests } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { ClaimedTask, DoneTask, Task } from '../../domain/state/task-schema.ts';
import { type ChangesToRecord, requireTaskInView, type SessionView, viewSession } from '../record-changes.ts';
import { type RunContext, timestamp, type WithGit } from '../run-context.ts';
import { readBaseTip } from '../start-point.ts';

export interface LandingUndoChanges {
  readonly session: Session;
  readonly steps: readonly TaskChange[];
  /** The note on the commit it had landed as. */
  readonly reviews: NonNullable<ChangesToRecord['reviews']>;
}

/** A landing that is taken back, and how its tasks go on. */
export interface LandingToUndo {
  readonly changeset: LandedChangeset;
  readonly wish: LandingUndoOptions;
}

/** Start commits of works that began upon a landing, finished or not: by the ids of their tasks. */
export type StartCommitsOnLanding = ReadonlyMap<TaskId, ObjectId>;

/** Work that holds a landing, since it began when that had landed. */
export async function findWorkStartedOnLanding(
  { git }: WithGit<Pick<GitCommits, 'isAncestor'>>,
  { tasks }: Pick<SessionView, 'tasks'>,
  { landed_commit: landed }: Pick<LandedChangeset, 'landed_commit'>,
): Promise<StartCommitsOnLanding> {
  const found = new Map<TaskId, ObjectId>();
  // Many begin at the same commit.
  const known = new Map<ObjectId, boolean>();
  for (const { id, start_commit: start } of tasks.filter(isWork)) {
    if (start === null) continue;
    const holds = known.get(start) ?? (await git.isAncestor(landed, start));
    known.set(start, holds);
    if (holds) found.set(id, start);
  }
  return found;
}

/** The tasks whose work, finished or not, stands on a landing: they were built on its tasks' work, or began upon it. */
async function tasksBuiltOnLanding(
  context: Parameters<typeof findWorkStartedOnLanding>[0],
  { tasks }: Pick<SessionView, 'tasks'>,
  changeset: LandedChangeset,
): Promise<readonly TaskId[]> {
  const begun = await findWorkStartedOnLanding(context, { tasks }, changeset);
  const byId = new Map<string, Task>(tasks.map((task) => [task.id, task]));
  const landed = changeset.tasks.flatMap((id) => byId.get(id) ?? []);
  return tasks
    .filter(isWork)
    .filter((task) => begun.has(task.id) || landed.some((below) => isTaskBuiltOnTask(task, below, byId)))
    .map(({ id }) => id);
}

/**
 * Computes the effects of taking a landing back on a session, its tasks and the review. `above` is put on what remains,
 * like work built on tasks that are sent back.
 */
export function computeLandingUndo(
  context: Pick<RunContext, 'gates' | 'now'>,
  view: SessionView,
  { changeset, wish, above }: LandingToUndo & { readonly above: StartCommitsOnLanding },
): LandingUndoChanges {
  const at = timestamp(context);
  const mark = { by: context.gates.person, at, reason: wish.notes };
  const leaving = changeset.tasks
    .map((task) => requireTaskInView(view, task))
    .filter(({ status }) => status === 'merged')
    .map((task) => takeBackTaskLanding(task, wish, at));
  const { landed_commit: commit } = changeset;
  const note = view.snapshot.reviewOn(commit);
  const steps = withdrawTasks(view.tasks, leaving, at);
  const below = leaving.map(({ task }) => ({ task: task.id, commit }));
  const changed = new Set<string>(steps.map(({ task }) => task.id));
  const left = below.length === 0 ? [] : view.tasks.filter(({ id }) => !changed.has(id));
  const upon = left.filter(isWork).filter((task) => above.get(task.id) === task.start_commit);
  return {
    session: reopened(withLandingReverted(view.session, changeset, mark), wish),
    steps: [...steps, ...upon.map((task) => addWorkBuiltOn(task, below))],
    reviews: note === null ? [] : [{ commit, note: { ...note, undone: mark } }],
  };
}

function isWork(task: Task): task is ClaimedTask | DoneTask {
  return task.status === 'claimed' || task.status === 'done';
}

/** Reopens an ended session if its tasks are requeued. */
function reopened(session: Session, { follow }: LandingUndoOptions): Session {
  return session.state === 'ended' && follow === 'requeue' ? { ...session, state: 'active', wave: 'review' } : session;
}

/** Which landing would be taken back, and how. */
interface UndoPlan {
  readonly session: Session;
  readonly changeset: LandedChangeset;
  /** Tasks whose work stands on it: it is rebased onto what remains, and goes back to its worker on a conflict. */
  readonly above: readonly TaskId[];
  readonly way:
    | { readonly how: 'moved-back' }
    /** The branch had lost it already. */
    | { readonly how: 'was-gone' }
    /** `why`: as the end of a sentence. */
    | { readonly how: 'revert'; readonly why: string };
}

/**
 * Plans how to take a landing back, without doing it: the branch moves back if it is still as the landing left it and
 * nothing shows that it was published; else a revert is reviewed like any work.
 */
export async function planLandingUndo(
  context: Pick<RunContext, 'config' | 'git' | 'decided' | 'remoteSession' | 'store'>,
  id: SessionId,
  name: string | null,
): Promise<UndoPlan> {
  const view = await viewSession(context, id);
  const { session } = view;
  const changeset = findLandedChangeset(session, name);
  if (changeset === undefined) throw nothingLanded(session, name);
  const again = view.tasks.find(
    ({ takes_back: back, status }) => back?.changeset === changeset.id && status !== 'dropped' && status !== 'merged',
  );
  if (again !== undefined) throw takenBackAlready(changeset, again);
  if (changeset.tasks.some((task) => requireTaskInView(view, task).takes_back !== undefined)) throw isRevert(changeset);
  const { landed_commit: commit } = changeset;
  const above = await tasksBuiltOnLanding(context, view, changeset);
  const tip = await readBaseTip(context, session);
  if (commit !== tip && !(await context.git.isAncestor(commit, tip))) {
    await requireGone(context, session, { changeset, tip });
    return { session, changeset, above, way: { how: 'was-gone' } };
  }
  const why = await whyRevert(context, session, { commit, tip });
  return { session, changeset, above, way: why === null ? { how: 'moved-back' } : { how: 'revert', why } };
}

/**
 * A person may have taken a landing off the branch. That the branch has just not been brought along is another thing: then
 * the work is still where others have it. Throws FlameError `behind-landing`.
 */
async function requireGone(
  { git, decided }: Pick<RunContext, 'git' | 'decided'>,
  session: Session,
  { changeset, tip }: { readonly changeset: LandedChangeset; readonly tip: ObjectId },
): Promise<void> {
  const { id, landed_commit: commit } = changeset;
  const [published] = await git.refsHolding(commit, 'refs/remotes/');
  const isOwn = decided.has(toLandedDecision(session, changeset));
  if (published === undefined && (isOwn || !(await git.isAncestor(tip, commit)))) return;
  const where = published === undefined ? 'in another clone' : `on ${published.ref.slice('refs/remotes/'.length)}`;
  throw refusedError(
    'behind-landing',
    `${id} landed ${where}, but ${findLandingBranch(session)} here does not have it. Pull it first.`,
    ['git pull --ff-only', `git flame undo ${id} --dry-run`],
  );
}

/** Why the branch is not moved back, as the end of a sentence; null: it is. */
async function whyRevert(
  { git }: Pick<RunContext, 'git'>,
  session: Session,
  { commit, tip }: { readonly commit: ObjectId; readonly tip: ObjectId },
): Promise<string | null> {
  const branch = findLandingBranch(session);
  if (commit !== tip) return `${branch} has moved since`;
  if (session.machines !== undefined) return 'other machines have it';
  if (listOpenPullRequests(session).length > 0) return 'a pull request shows it';
  for (const prefix of ['refs/remotes/', 'refs/tags/']) {
    const [first] = await git.refsHolding(commit, prefix);
    if (first !== undefined) return `${first.ref.slice('refs/'.length)} holds it`;
  }
  return null;
}

function nothingLanded({ id, changesets }: Session, name: string | null): FlameError {
  const known = changesets.findLast((one) => one.id === name || one.group === name);
  if (known !== undefined)
    return noChangesetError(`Changeset ${known.id} is ${known.state}, so it has no landing to take back.`, [
      `git flame show ${known.id}`,
    ]);
  return noChangesetError(`No changeset${name === null ? '' : ` ${name}`} has landed in ${id}.`, ['git flame status']);
}

function takenBackAlready({ id }: LandedChangeset, { id: task, cohesion_group: group, status }: Task): FlameError {
  return refusedError('taken-back-already', `${task} already takes the landing of ${id} back. It is ${status}.`, [
    `git flame show ${task}`,
    `git flame review --changeset ${group}`,
  ]);
}

/** Error for undoing a revert: the tasks it requeued or dropped would not be landed, but their work would be there. */
function isRevert({ id, tasks }: LandedChangeset): FlameError {
  return refusedError(
    'revert-taken-back',
    `${id} itself took a landing back. To land that work again, the tasks must be done again as new work.`,
    tasks.map((task) => `git flame show ${task}`),
  );
}
