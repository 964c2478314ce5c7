import { toAcceptedCommitsDecision } from '../../core/admission/make-decisions.ts';
import { sortTasksByDependency } from '../../core/changesets/cohesion-groups.ts';
import { listChangesetsOfCycle } from '../../core/schedule/next-action.ts';
import { applyTaskChanges, withdrawTasks } from '../../core/task/block-dependents.ts';
import { listTasksToRebase, readStackState } from '../../core/task/stack-state.ts';
import { recordRebaseOfTask } from '../../core/task/task-attempt.ts';
import { applyVerdictToTask, requeueTask } from '../../core/task/task-outcome.ts';
import type { TaskChange } from '../../core/task/task-state.ts';
import { type ObjectId, type SessionId, type TaskId, taskBranch } from '../../domain/ids.ts';
import type { StackedWorkOutcome } from '../../domain/ports/changeset-question.ts';
import type { GitCommits, GitMerging, MergeResult } from '../../domain/ports/git-commits.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import {
  type DoneTask,
  hasAcceptedWork,
  type Task,
  type TaskWithAcceptedWork,
} from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { shortId } from '../../util/short-names.ts';
import { findRulesBrokenByTask } from '../post-check/judge-commits.ts';
import {
  type ChangesToRecord,
  decideAndRecord,
  type RecordContext,
  requireTaskInView,
  type SessionView,
  viewSession,
} from '../record-changes.ts';
import { rescueFormerBranchTip } from '../retention/rescue-refs.ts';
import { inform, type RunContext, timestamp, type WithGit, warn } from '../run-context.ts';
import { buildStartPoint } from '../start-point.ts';
import { describeWorkToBuildOn } from './block-on-conflict.ts';
import { carryVerdict } from './carry-over.ts';

/**
 * Takes what is not accepted any more out from under the finished work that was built on it: each one's own change
 * is put on what remains, and is checked again; no worker is paid. What conflicts then goes back to its worker. Which
 * tasks these are follows from their notes, so that a kill at any point changes nothing.
 */
export async function rebaseStacked(context: RunContext, session: SessionId): Promise<void> {
  for (;;) {
    const view = await viewSession(context, session);
    // Lower works come first: the others stand on them again.
    const [task] = sortTasksByDependency(listTasksToRebase(view.tasks, listChangesetsOfCycle(view.session)));
    if (task === undefined || !hasAcceptedWork(task)) return;
    await replayOne(context, view, task);
  }
}

interface StackedTask {
  readonly task: TaskWithAcceptedWork;
  /** See groundOf. */
  readonly startText: string;
}

async function replayOne(context: RunContext, view: SessionView, task: TaskWithAcceptedWork): Promise<void> {
  const one = { task, startText: describeWorkToBuildOn(context, task, view.tasks) };
  const fate = await predictRebase(context, view.session, { task, tasks: view.tasks });
  if (fate.kind === 'back') return sendBack(context, one, fate.notes);
  const broken = await findRulesBrokenByTask(context, fate.step.task);
  if (broken.length === 0) {
    const before = view.snapshot.verdictsOn(task.commit).at(-1);
    const verdict = before === undefined ? null : await carryVerdict(context, before, fate.step.task);
    return keep(context, one, { ...fate, verdict });
  }
  const notes = `Rebased without ${fate.lost.join(', ')}, its change breaks rules:\n${broken.join('\n')}`;
  return sendBack(context, one, notes);
}

/** Result for a task without the ground it lost. */
type Fate =
  | {
      readonly kind: 'stands';
      readonly commit: ObjectId;
      /** Works it stood on and does no more. */
      readonly lost: readonly string[];
      /** Lost works with the state of each, as the end of a sentence. */
      readonly why: string;
      readonly step: TaskChange<DoneTask>;
    }
  | { readonly kind: 'back'; readonly notes: string; readonly paths: readonly string[] };

/** Finds by merging what becomes of a task that lost its ground. Objects may be written; nothing refers to them. */
async function predictRebase(
  context: Pick<RunContext, 'config' | 'now'> & WithGit<GitCommits & GitMerging>,
  session: Session,
  { task, tasks }: { readonly task: TaskWithAcceptedWork; readonly tasks: readonly Task[] },
): Promise<Fate> {
  const byId = new Map<string, Task>(tasks.map((one) => [one.id, one]));
  const lost = readStackState(tasks).lost(task);
  const becameOf = (id: TaskId): string => describe(byId.get(id));
  const why = lost.map((id) => `${id}, which ${becameOf(id)}`).join(', and on ');
  const start = await buildStartPoint(context, session, task, tasks);
  if (start.kind === 'conflict') {
    const notes = `It was stacked on ${why}. What it still depends on conflicts: the work of ${start.with}, in ${start.paths.join(', ')}.`;
    return { kind: 'back', notes, paths: start.paths };
  }
  const own = await rebaseWorkOnto(context.git, { start: task.start_commit, commit: task.commit }, start.commit);
  if (own.kind === 'conflict') {
    const notes = `It was stacked on ${why}. Rebased without that, its change conflicts in ${own.paths.join(', ')}.`;
    return { kind: 'back', notes: [notes, ...own.messages].join('\n'), paths: own.paths };
  }
  const step = recordRebaseOfTask(task, {
    commit: own.commit,
    start: start.commit,
    builtOn: start.builtOn,
    without: lost,
    at: timestamp(context),
  });
  const since = lost.map((id) => `${id} ${becameOf(id)}`).join(', and ');
  return { kind: 'stands', commit: own.commit, lost, why: since, step };
}

function describe(below: Task | undefined): string {
  if (below?.landed_as !== undefined) return 'landed as another commit';
  return below?.status === 'done' ? 'has a new commit' : `is ${below?.status ?? 'missing'}`;
}

async function keep(
  context: RecordContext & Pick<RunContext, 'configDigest' | 'git'>,
  { task, startText }: StackedTask,
  { commit, step, why, verdict }: Extract<Fate, { readonly kind: 'stands' }> & { readonly verdict: Verdict | null },
): Promise<void> {
  const { session, id } = task;
  const ref = taskBranch(session, id);
  const old = await context.git.resolveCommit(ref);
  await rescueFormerBranchTip(context, { session, task: id }, { old, tip: commit });
  const done = await decideAndRecord(context, session, (view) => {
    if (!isAsSeen(context, view, { task, startText })) return null;
    const carried = verdict === null ? {} : { verdict };
    const judged = verdict === null ? [] : [applyVerdictToTask(step.task, verdict)];
    return {
      steps: [step, ...judged],
      ...carried,
      refs: [{ ref, old, new: commit }],
      ...voided(view, id),
      accepted: [toAcceptedCommitsDecision(step.task, context.configDigest)],
    };
  });
  if (done.kind !== 'done') return;
  const since = verdict?.carried_from;
  const next =
    since === undefined ? ' and is checked again' : `, and so does its verdict: ${shortId(since)} had the same files`;
  inform(context, `${id} was rebased, because ${why}. Its own change stays${next}.`);
}

function isAsSeen(context: Pick<RunContext, 'config'>, view: SessionView, { task, startText }: StackedTask): boolean {
  const now = view.tasks.find(({ id }) => id === task.id);
  return now !== undefined && now.rev === task.rev && describeWorkToBuildOn(context, now, view.tasks) === startText;
}

/** Changesets that hold what it was are void for good: its task stands again, they don't. */
function voided({ session }: SessionView, task: string): Pick<ChangesToRecord, 'session'> {
  const holding = session.changesets.filter(({ state, tasks }) => state === 'void' && tasks.some((id) => id === task));
  if (holding.length === 0) return {};
  const names = holding.map(({ id }) => id).join(', ');
  return { session: { next: session, subject: `changesets void: ${names}, ${task} has a new commit` } };
}

async function sendBack(context: RecordContext, { task, startText }: StackedTask, notes: string): Promise<void> {
  const at = timestamp(context);
  const done = await decideAndRecord(context, task.session, (view) => {
    if (!isAsSeen(context, view, { task, startText })) return null;
    const step = requeueTask(requireTaskInView(view, task.id), { kind: 'conflict', notes, at });
    return { steps: withdrawTasks(view.tasks, [step], at), body: notes };
  });
  if (done.kind !== 'done') return;
  warn(context, `${task.id} was sent back: ${notes.split('\n')[0] ?? ''}`);
}

/**
 * Finds what rejecting a changeset, or these tasks of it, would mean for finished work on top, by doing it without
 * recording: each one's change is merged onto what would remain. In the order they stand on each other. What earlier
 * decisions mean for other works is no effect of this one.
 */
export async function previewRejection(
  context: PreviewPorts,
  view: SessionView,
  { tasks: rejected }: Pick<Changeset, 'tasks'>,
): Promise<readonly StackedWorkOutcome[]> {
  const current = listChangesetsOfCycle(view.session);
  // A group that comes in parts is named by its part, as the person was shown it.
  const shown = new Map<string, string>(current.flatMap(({ tasks: ids, group }) => ids.map((id) => [id, group])));
  const groupOf = ({ id, cohesion_group }: Task): string => shown.get(id) ?? cohesion_group;
  const { tasks } = await foreseeRebases(context, view.session, { tasks: view.tasks, leaving: [] });
  const leaving = rejected.map((id) => requireTaskInView({ tasks }, id)).filter(({ status }) => status === 'done');
  const own = new Set(leaving.map(groupOf));
  const { outcomes } = await foreseeRebases(context, view.session, { tasks, leaving });
  return outcomes.map(({ task, ...what }) => {
    const group = groupOf(task);
    // The changeset itself is no work on top of it, but others of its tasks may be.
    return { task: task.id, group: own.has(group) ? task.id : group, ...what };
  });
}

type PreviewPorts = Pick<RunContext, 'config' | 'now'> & WithGit<GitCommits & GitMerging>;

type TaskOutcome = Pick<StackedWorkOutcome, 'outcome' | 'paths'> & { readonly task: Task };

/** What becomes of finished work once these tasks were sent back, and the tasks as they are then. */
async function foreseeRebases(
  context: PreviewPorts,
  session: Session,
  { tasks: before, leaving }: { readonly tasks: readonly Task[]; readonly leaving: readonly Task[] },
): Promise<{ readonly tasks: readonly Task[]; readonly outcomes: readonly TaskOutcome[] }> {
  const at = timestamp(context);
  const outcomes: TaskOutcome[] = [];
  const stacks = readStackState(before);
  const waited = new Set<string>(before.filter(stacks.waits).map(({ id }) => id));
  let tasks = before;
  const sendBack = (steps: readonly TaskChange[]): void => {
    const all = withdrawTasks(tasks, steps, at);
    tasks = applyTaskChanges(tasks, all);
    for (const { task } of all.slice(steps.length))
      if (task.status === 'requeued') outcomes.push({ task, outcome: 'again', paths: [] });
    const stackState = readStackState(tasks);
    for (const task of tasks.filter((one) => stackState.waits(one) && !waited.has(one.id))) {
      waited.add(task.id);
      outcomes.push({ task, outcome: 'waits', paths: [] });
    }
  };
  sendBack(leaving.map((task) => requeueTask(task, { kind: 'rejected', notes: '', reason: '', at })));
  for (;;) {
    const [task] = sortTasksByDependency(listTasksToRebase(tasks, listChangesetsOfCycle(session)));
    if (task === undefined || !hasAcceptedWork(task)) return { tasks, outcomes };
    const fate = await predictRebase(context, session, { task, tasks });
    const stands = fate.kind === 'stands';
    outcomes.push({ task, outcome: stands ? 'stands' : 'conflicts', paths: stands ? [] : fate.paths });
    if (stands) tasks = applyTaskChanges(tasks, [fate.step]);
    else sendBack([requeueTask(task, { kind: 'conflict', notes: '', at })]);
  }
}

type Replayed =
  | { readonly kind: 'replayed'; readonly commit: ObjectId; readonly tree: ObjectId }
  | Extract<MergeResult, { readonly kind: 'conflict' }>;

/**
 * Puts what a work itself changed, from its start to its commit, onto another commit: as one commit in the name and
 * with the message of the work's last. Nothing else of its history comes along.
 */
export async function rebaseWorkOnto(
  git: GitCommits & GitMerging,
  { start, commit }: { readonly start: ObjectId; readonly commit: ObjectId },
  onto: ObjectId,
): Promise<Replayed> {
  const merge = await git.mergeDifferenceOnto(onto, start, commit);
  if (merge.kind === 'conflict') return merge;
  const { tree } = merge;
  const { author, message } = await git.readCommit(commit);
  return {
    kind: 'replayed',
    tree,
    commit: await git.writeUnsignedCommit({ tree, parents: [onto], author, message }),
  };
}
