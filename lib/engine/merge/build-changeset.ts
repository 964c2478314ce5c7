import { toLandingMessageDecision } from '../../core/admission/make-decisions.ts';
import { type ChangesetToBuild, findMessageToKeep } from '../../core/changesets/changesets-to-build.ts';
import { listNeededTasks } from '../../core/task/stack-state.ts';
import type { ObjectId, TaskId } from '../../domain/ids.ts';
import type { CommitInfo, GitCommits, GitMerging } from '../../domain/ports/git-commits.ts';
import type { DiffStat } from '../../domain/state/changeset.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { hasAcceptedWork, type Task } from '../../domain/state/task-schema.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import { shortId } from '../../util/short-names.ts';
import { inform, type RunContext, type WithGit, warn } from '../run-context.ts';
import { findSameDiagnostics } from '../stacking/carry-over.ts';
import { rebaseWorkOnto } from '../stacking/rebase-stacked.ts';
import { listCommitsTakenOffBase, mergeCommitOnto } from '../start-point.ts';
import { diagnoseCommit, markDiagnosticsFailingOnBase } from '../validate/run-diagnostics.ts';
import { addMessageTrailers, renderChangesetMessage } from './changeset-message.ts';
import { solveConflict } from './solve-conflict.ts';

export interface BuiltChangeset {
  /** null: nothing of the group could be merged. */
  readonly commit: ObjectId | null;
  readonly parent: ObjectId;
  readonly merged: readonly Task[];
  readonly conflicts: readonly { readonly task: Task; readonly notes: string }[];
  readonly diffstat: DiffStat;
  readonly diagnostics: readonly DiagnosticRun[];
  /** See Changeset. */
  readonly diagnosed?: ObjectId;
  /** Message its person wrote for the same work before; null: none. */
  readonly kept: string | null;
}

interface ChangesetJob {
  readonly session: Session;
  readonly group: ChangesetToBuild;
  readonly base: ObjectId;
  /** Commits of the changesets it depends on. */
  readonly parents: readonly ObjectId[];
}

/**
 * Merges a group's tasks, one after another, into one commit whose parents are where it starts and each task's
 * tip, and runs the diagnostics on the merged tree: green apart can be red together.
 */
export async function buildChangeset(context: RunContext, job: ChangesetJob): Promise<BuiltChangeset> {
  const parent = await joinParents(context, job);
  const steps = await mergeTasks(context, job, parent);
  const { merged, conflicts, tree, tips } = steps;
  if (merged.length === 0)
    return {
      commit: null,
      parent,
      merged,
      conflicts,
      diffstat: { files: 0, insertions: 0, deletions: 0 },
      diagnostics: [],
      kept: null,
    };
  // The tips no other tip holds already: a task built upon another brings that one's commits along.
  const parents = [parent, ...(await context.git.dropContainedCommits(tips))];
  const kept = keptFor(context, job, merged);
  const message =
    kept === null
      ? await renderChangesetMessage(context, job.session, { group: job.group.group, tasks: merged })
      : addMessageTrailers(kept, merged, job.session.id);
  const commit = await context.git.writeSignedCommit({ tree, parents, message });
  const diffstat = await context.git.diffStat(parent, commit);
  return { commit, parent, merged, conflicts, diffstat, ...(await diagnose(context, job, { parent, commit })), kept };
}

/** Runs the diagnostics on a merged tree, unless they passed on the same files before. */
async function diagnose(
  context: RunContext,
  { session, base, group: { group } }: ChangesetJob,
  built: { readonly parent: ObjectId; readonly commit: ObjectId },
): Promise<Pick<BuiltChangeset, 'diagnostics' | 'diagnosed'>> {
  const known = await findSameDiagnostics(context, session, { group, ...built });
  if (known !== null) {
    const message = `The diagnostics of changeset ${group} passed before: ${shortId(known.diagnosed)} had the same files.`;
    inform(context, message);
    return known;
  }
  const about = { session: session.id, words: `changeset ${group}` };
  const runs = await diagnoseCommit(context, built.commit, base, about, built.parent);
  return { diagnostics: await markDiagnosticsFailingOnBase(context, runs, base) };
}

/** Message the person wrote when they approved the same work, before its base moved; reports that it stays. */
function keptFor(
  { events, decided }: Pick<RunContext, 'events' | 'decided'>,
  { session, group: { group } }: ChangesetJob,
  merged: readonly Task[],
): string | null {
  const works = merged.flatMap(({ commit }) => commit ?? []);
  const kept = findMessageToKeep(session, { group, works }, (one) =>
    decided.has(toLandingMessageDecision(session, one)),
  );
  if (kept === null) return null;
  const message = `Changeset ${group} keeps the message you wrote: ${kept.split('\n')[0] ?? ''}`;
  inform({ events }, message);
  return kept;
}

interface MergeState {
  readonly tip: ObjectId;
  readonly tree: ObjectId;
  /** Commits with the work of the merged tasks: their own, or others where these can't be merged. */
  readonly tips: readonly ObjectId[];
  readonly merged: readonly Task[];
  readonly conflicts: readonly { readonly task: Task; readonly notes: string }[];
}

async function mergeTasks(context: RunContext, job: ChangesetJob, parent: ObjectId): Promise<MergeState> {
  const { tree } = await context.git.readCommit(parent);
  let state: MergeState = { tip: parent, tree, tips: [], merged: [], conflicts: [] };
  for (const task of job.group.tasks) state = await mergeTask(context, { job, parent }, state, task);
  return state;
}

async function mergeTask(
  context: RunContext,
  { job, parent }: { readonly job: ChangesetJob; readonly parent: ObjectId },
  state: MergeState,
  task: Task,
): Promise<MergeState> {
  if (task.commit === null) return state;
  // Work that stands on a task that fell out is merged once it was rebased onto the rest, or onto its replacement.
  if (listNeededTasks(task).some((id) => isLeftOut(job.group, state, id))) return state;
  const foreign = await listCommitsTakenOffBase(context, { onto: parent, group: job.group.tasks, task });
  if (foreign.length > 0) return replayTask(context, { job, foreign }, state, task);
  const merge = await context.git.mergeTree(state.tip, task.commit);
  const solved =
    merge.kind === 'clean'
      ? merge
      : await solveConflict(context, {
          session: job.session,
          tip: state.tip,
          task,
          paths: merge.paths,
          messages: merge.messages,
        });
  if (solved.kind === 'unsolved') return withConflict(state, task, solved.notes);
  const { tree } = solved;
  // Only to merge the next one onto; what lands is one commit over all.
  const tip = await context.git.writeUnsignedCommit({
    tree,
    parents: [state.tip, task.commit],
    message: `Merge ${task.id}\n`,
  });
  return { ...state, tip, tree, tips: [...state.tips, task.commit], merged: [...state.merged, task] };
}

function isLeftOut({ tasks }: ChangesetToBuild, { merged }: MergeState, id: TaskId): boolean {
  const isSelected = (task: Task): boolean => task.id === id;
  return tasks.some(isSelected) && !merged.some(isSelected);
}

/** Takes over what a task itself changed, in a commit of its own: with its commits, others would come back. */
async function replayTask(
  context: Pick<RunContext, 'events'> & WithGit<GitCommits & GitMerging>,
  { job, foreign }: { readonly job: ChangesetJob; readonly foreign: readonly CommitInfo[] },
  state: MergeState,
  task: Task,
): Promise<MergeState> {
  if (!hasAcceptedWork(task)) return state;
  const gone = describeCommitsOffBranch(findLandingBranch(job.session), foreign);
  const { start_commit: start, commit } = task;
  const own = await rebaseWorkOnto(context.git, { start, commit }, state.tip);
  if (own.kind === 'conflict')
    return withConflict(
      state,
      task,
      `${gone} Without ${foreign.length === 1 ? 'it' : 'them'}, ${task.id} conflicts in ${own.paths.join(', ')}.`,
    );
  const { commit: tip, tree } = own;
  const said = `${task.id} started before that, so only its own changes are merged, not its commits.`;
  warn(context, gone, [said]);
  return { ...state, tip, tree, tips: [...state.tips, tip], merged: [...state.merged, task] };
}

/** Says that commits were taken off a branch. */
export function describeCommitsOffBranch(branch: string, gone: readonly CommitInfo[]): string {
  const [first] = gone;
  const isOne = gone.length === 1;
  const subject = first?.message.split('\n')[0] ?? '';
  const which = isOne ? ` (${first === undefined ? '' : shortId(first.oid)} ${subject})` : '';
  return `${branch} was rewound: it lost ${gone.length} ${isOne ? 'commit' : 'commits'}${which}, and landing will not bring ${isOne ? 'it' : 'them'} back.`;
}

function withConflict(state: MergeState, task: Task, notes: string): MergeState {
  return { ...state, conflicts: [...state.conflicts, { task, notes }] };
}

async function joinParents(
  context: WithGit<GitCommits & GitMerging>,
  { base, parents, group }: ChangesetJob,
): Promise<ObjectId> {
  let tip = base;
  for (const commit of parents) {
    const joined = await mergeCommitOnto(context, tip, commit, `The changesets that ${group.group} is stacked on\n`);
    // Two changesets that conflict with each other: shown on the first, the conflict appears when it lands.
    if (joined.kind === 'start') tip = joined.commit;
  }
  return tip;
}
