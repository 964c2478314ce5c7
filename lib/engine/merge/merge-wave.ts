import { toDiagnosticsRunDecision } from '../../core/admission/make-decisions.ts';
import { type ChangesetToBuild, listChangesetsToBuild } from '../../core/changesets/changesets-to-build.ts';
import { listChangesetsOfCycle, listMergeableTasks, makeChangesetId } from '../../core/schedule/next-action.ts';
import { withdrawTasks } from '../../core/task/block-dependents.ts';
import { readStackState } from '../../core/task/stack-state.ts';
import { requeueTask } from '../../core/task/task-outcome.ts';
import { type ObjectId, parseRefName, type RefName, type SessionId } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { formatCount } from '../../util/format-figures.ts';
import { shortId } from '../../util/short-names.ts';
import { type ConflictWatch, withConflictWatch } from '../conflict-detection/watch-conflicts.ts';
import {
  decideAndRecord,
  type RecordContext,
  recordWaveStart,
  requireTaskInView,
  viewSession,
} from '../record-changes.ts';
import { type RunContext, timestamp, type WithGit, warn } from '../run-context.ts';
import { rebaseStacked } from '../stacking/rebase-stacked.ts';
import { readBaseTip } from '../start-point.ts';
import { filterFailedDiagnostics } from '../validate/run-diagnostics.ts';
import { type BuiltChangeset, buildChangeset, describeCommitsOffBranch } from './build-changeset.ts';
import { voidOutdatedChangesets } from './void-outdated.ts';

/**
 * Wave 4, first half: one changeset per cohesion group, built from commits alone where they merge cleanly. What
 * conflicts and can't be solved goes back to its workers with the conflict as notes. What waits for review and was built
 * on a base that moved since is built again.
 */
export function runMergeWave(context: RunContext, id: SessionId): Promise<MergeOutcome> {
  return withConflictWatch(context, async (radar) => {
    await voidOutdatedChangesets(context, await viewSession(context, id));
    return mergeAllChangesets(context, id, radar);
  });
}

interface MergeOutcome {
  readonly built: number;
  readonly conflicts: number;
}

/** runMergeWave within a wave that looks ahead itself. */
export async function mergeAllChangesets(
  context: RunContext,
  id: SessionId,
  radar: ConflictWatch,
): Promise<MergeOutcome> {
  await recordWaveStart(context, id, 'merge');
  await rebaseStacked(context, id);
  const opening = await viewSession(context, id);
  radar.look(opening);
  const base = await noteBase(context, opening.session);
  const view = await viewSession(context, id);
  const free = listMergeableTasks(view.tasks, listChangesetsOfCycle(view.session));
  const { changesets: groups, waiting } = listChangesetsToBuild(
    view.tasks.filter((task) => task.status !== 'done' || free.includes(task)),
  );
  for (const { task, because } of waiting) {
    warn(context, `${task.id} waits: it ${because}`);
  }
  const built = new Map<string, Changeset>();
  let conflicts = 0;
  for (const group of groups) {
    const result = await buildGroup(context, view.session, { group, base, built });
    conflicts += result.conflicts;
    if (result.changeset !== null) built.set(group.group, result.changeset);
  }
  context.events.emit({
    event: 'wave-ended',
    wave: 'merge',
    cycle: view.session.cycle,
    summary: formatCount(built.size, 'changeset'),
  });
  return { built: built.size, conflicts };
}

/** Changesets are built on the base branch as it is now; a landing later asks whether it still is. */
async function noteBase(context: RecordContext & Pick<RunContext, 'git'>, session: Session): Promise<ObjectId> {
  const base = await readBaseTip(context, session);
  if (base !== session.base_commit) await warnOfRewoundBase(context, session, base);
  await decideAndRecord(context, session.id, ({ session: now }) => {
    if (now.base_commit === base) return null;
    return {
      session: {
        next: { ...now, base_commit: base },
        subject: `session: ${findLandingBranch(now)} is at ${shortId(base)}`,
      },
    };
  });
  return base;
}

/** Says what was on the base and is no more: a rewound, amended or rebased branch. */
async function warnOfRewoundBase(
  context: Pick<RunContext, 'events'> & WithGit<GitCommits>,
  session: Session,
  base: ObjectId,
): Promise<void> {
  const before = session.base_commit;
  const isThere = (await context.git.resolveCommit(before)) !== null;
  if (!isThere || (await context.git.isAncestor(before, base))) return;
  const gone = await context.git.commitsBetween(base, before);
  warn(context, describeCommitsOffBranch(findLandingBranch(session), gone));
}

interface GroupJob {
  readonly group: ChangesetToBuild;
  readonly base: ObjectId;
  readonly built: ReadonlyMap<string, Changeset>;
}

async function buildGroup(
  context: RunContext,
  session: Session,
  { group, base, built }: GroupJob,
): Promise<{ readonly changeset: Changeset | null; readonly conflicts: number }> {
  const { tasks } = await viewSession(context, session.id);
  // A conflict in a group before this one takes along what was built upon it.
  const stackState = readStackState(tasks);
  const left = group.tasks.filter(({ id }) => {
    const task = requireTaskInView({ tasks }, id);
    return task.status === 'done' && !stackState.waits(task);
  });
  const needed = group.dependsOn.map((name) => built.get(name));
  if (left.length === 0 || needed.some((changeset) => changeset === undefined))
    return { changeset: null, conflicts: 0 };
  const parents = needed.flatMap((changeset) => (changeset === undefined ? [] : [changeset.commit]));
  const result = await buildChangeset(context, { session, group: { ...group, tasks: left }, base, parents });
  await requeueConflicting(context, session.id, result);
  const conflicts = result.conflicts.length;
  if (result.commit === null) return { changeset: null, conflicts };
  const { session: now } = await viewSession(context, session.id);
  const changeset = toChangeset(now, group, base, result, result.commit);
  await keep(context, session.id, changeset);
  const red = filterFailedDiagnostics(changeset.diagnostics).length > 0;
  context.events.emit({
    event: 'changeset-built',
    session: session.id,
    changeset: changeset.id,
    tasks: changeset.tasks,
    commit: changeset.commit,
    red,
  });
  return { changeset, conflicts };
}

function toChangeset(
  session: Session,
  group: ChangesetToBuild,
  base: ObjectId,
  result: BuiltChangeset,
  commit: ObjectId,
): Changeset {
  return {
    id: makeChangesetId(session, group.group),
    group: group.group,
    tasks: result.merged.map(({ id }) => id),
    works: result.merged.flatMap(({ commit: work }) => work ?? []),
    missing: [...group.missing, ...group.tasks.filter((task) => !result.merged.includes(task))].map(({ id }) => id),
    depends_on: [...group.dependsOn],
    state: 'waiting',
    base,
    parent: result.parent,
    commit,
    diffstat: result.diffstat,
    diagnostics: [...result.diagnostics],
    ...(result.diagnosed === undefined ? {} : { diagnosed: result.diagnosed }),
    reason: null,
    decided_by: null,
    landed_commit: null,
    // Not approved yet: it is what the next one begins with, should the base move once more.
    ...(result.kept === null ? {} : { message: result.kept }),
  };
}

async function requeueConflicting(context: RecordContext, id: SessionId, { conflicts }: BuiltChangeset): Promise<void> {
  if (conflicts.length === 0) return;
  const at = timestamp(context);
  await decideAndRecord(context, id, (view) => {
    const isThere = ({ task }: { readonly task: Task }): boolean => requireTaskInView(view, task.id).status === 'done';
    const steps = conflicts
      .filter(isThere)
      .map(({ task, notes }) => requeueTask(requireTaskInView(view, task.id), { kind: 'conflict', notes, at }));
    return steps.length === 0 ? null : { steps: withdrawTasks(view.tasks, steps, at) };
  });
  for (const { task, notes } of conflicts) {
    warn(context, `${task.id} conflicts and was sent back: ${notes.split('\n')[0] ?? ''}`);
  }
}

/** Notes the changeset and keeps its commit alive until it has landed or is void. */
async function keep(
  context: RecordContext & Pick<RunContext, 'configDigest' | 'git'>,
  id: SessionId,
  changeset: Changeset,
): Promise<void> {
  const ref = changesetRef(id, changeset.id);
  const old = await context.git.resolveCommit(ref);
  await decideAndRecord(context, id, ({ session }) => ({
    session: {
      next: {
        ...session,
        changesets: [...session.changesets.filter((known) => known.id !== changeset.id), changeset],
      },
      subject: `changeset ${changeset.id}: built from ${changeset.tasks.join(', ')}`,
    },
    refs: [{ ref, old, new: changeset.commit }],
    accepted: [toDiagnosticsRunDecision(session, changeset.commit, context.configDigest)],
  }));
}

/** The ref that keeps a changeset's commit alive. */
export function changesetRef(session: SessionId, changeset: string): RefName {
  return parseRefName(`refs/blueflame/changesets/${session}/${changeset}`);
}
