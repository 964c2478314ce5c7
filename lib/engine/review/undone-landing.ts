import { type LandedChangeset, withUndone } from '../../core/changesets/changeset-decision.ts';
import { type AfterUndo, takeBackTask } from '../../core/task/after-review.ts';
import { withdraw } from '../../core/task/cascade.ts';
import { standsOn } from '../../core/task/needs-of.ts';
import { addGround } from '../../core/task/task-attempt.ts';
import type { TaskChange } from '../../core/task/task-state.ts';
import type { ObjectId, TaskId } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { Session } from '../../domain/state/session.ts';
import type { ClaimedTask, DoneTask, Task } from '../../domain/state/task.ts';
import { type Recording, type SessionView, taskOf } from '../record.ts';
import { timestamp, type WithGit, type Workshop } from '../workshop.ts';

export interface UndoneLanding {
  readonly session: Session;
  readonly steps: readonly TaskChange[];
  /** The note on the commit it had landed as. */
  readonly reviews: NonNullable<Recording['reviews']>;
}

/** Start commits of works that began upon a landing, finished or not: by the ids of their tasks. */
export type BegunUpon = ReadonlyMap<TaskId, ObjectId>;

/** Work that holds a landing, since it began when that had landed. */
export async function begunUpon(
  { git }: WithGit<Pick<GitCommits, 'isAncestor'>>,
  { tasks }: Pick<SessionView, 'tasks'>,
  { landed_commit: landed }: Pick<LandedChangeset, 'landed_commit'>,
): Promise<BegunUpon> {
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
export async function standingOn(
  workshop: Parameters<typeof begunUpon>[0],
  { tasks }: Pick<SessionView, 'tasks'>,
  changeset: LandedChangeset,
): Promise<readonly TaskId[]> {
  const begun = await begunUpon(workshop, { tasks }, changeset);
  const byId = new Map<string, Task>(tasks.map((task) => [task.id, task]));
  const landed = changeset.tasks.flatMap((id) => byId.get(id) ?? []);
  return tasks
    .filter(isWork)
    .filter((task) => begun.has(task.id) || landed.some((below) => standsOn(task, below, byId)))
    .map(({ id }) => id);
}

/**
 * Computes the effects of taking a landing back on a session, its tasks and the review. `above` is put on what remains,
 * like work built on tasks that are sent back.
 */
export function undoneLanding(
  workshop: Pick<Workshop, 'gates' | 'now'>,
  view: SessionView,
  {
    changeset,
    wish,
    above,
  }: { readonly changeset: LandedChangeset; readonly wish: AfterUndo; readonly above: BegunUpon },
): UndoneLanding {
  const at = timestamp(workshop);
  const mark = { by: workshop.gates.person, at, reason: wish.notes };
  const leaving = changeset.tasks
    .map((task) => taskOf(view, task))
    .filter(({ status }) => status === 'merged')
    .map((task) => takeBackTask(task, wish, at));
  const { landed_commit: commit } = changeset;
  const note = view.snapshot.reviewOn(commit);
  const steps = withdraw(view.tasks, leaving, at);
  const below = leaving.map(({ task }) => ({ task: task.id, commit }));
  const changed = new Set<string>(steps.map(({ task }) => task.id));
  const left = below.length === 0 ? [] : view.tasks.filter(({ id }) => !changed.has(id));
  const upon = left.filter(isWork).filter((task) => above.get(task.id) === task.start_commit);
  return {
    session: reopened(withUndone(view.session, changeset, mark), wish),
    steps: [...steps, ...upon.map((task) => addGround(task, below))],
    reviews: note === null ? [] : [{ commit, note: { ...note, undone: mark } }],
  };
}

function isWork(task: Task): task is ClaimedTask | DoneTask {
  return task.status === 'claimed' || task.status === 'done';
}

/** Reopens an ended session if its tasks are requeued. */
function reopened(session: Session, { follow }: AfterUndo): Session {
  return session.state === 'ended' && follow === 'requeue'
    ? { ...session, state: 'active', wave: 'review' }
    : session;
}
