import type { ChangesetPlan } from '../core/group-changesets.ts';
import type { DiffStat } from '../domain/changeset.ts';
import type { ObjectId } from '../domain/ids.ts';
import type { Session } from '../domain/session.ts';
import type { Task } from '../domain/task.ts';
import type { DiagnosticRun } from '../domain/verdict.ts';
import { diagnoseCommit } from './run-diagnostics.ts';
import { solveConflict } from './solve-conflict.ts';
import type { Workshop } from './workshop.ts';

export interface BuiltChangeset {
  /** null: nothing of the group could be merged. */
  readonly commit: ObjectId | null;
  readonly parent: ObjectId;
  readonly merged: readonly Task[];
  readonly conflicts: readonly { readonly task: Task; readonly notes: string }[];
  readonly diffstat: DiffStat;
  readonly diagnostics: readonly DiagnosticRun[];
}

export interface ChangesetJob {
  readonly session: Session;
  readonly group: ChangesetPlan;
  readonly base: ObjectId;
  /** Commits of the changesets it depends on. */
  readonly parents: readonly ObjectId[];
}

/**
 * Merges a group's tasks, one after another, into one commit whose parents are where it starts and each task's
 * tip, and runs the diagnostics on the merged tree: green apart can be red together.
 */
export async function buildChangeset(workshop: Workshop, job: ChangesetJob): Promise<BuiltChangeset> {
  const parent = await joinParents(workshop, job);
  const steps = await mergeTasks(workshop, job, parent);
  const { merged, conflicts, tree } = steps;
  if (merged.length === 0)
    return {
      commit: null,
      parent,
      merged,
      conflicts,
      diffstat: { files: 0, insertions: 0, deletions: 0 },
      diagnostics: [],
    };
  const parents = [parent, ...(await independentTips(workshop, merged))];
  const commit = await workshop.git.commitTree({
    tree,
    parents,
    message: changesetMessage(job.session, job.group.group, merged),
  });
  const diffstat = await workshop.git.diffStat(parent, commit);
  return { commit, parent, merged, conflicts, diffstat, diagnostics: await diagnoseCommit(workshop, commit) };
}

/** The message a changeset lands with. */
export function changesetMessage(session: Session, group: string, tasks: readonly Task[]): string {
  const [only] = tasks;
  const subject =
    tasks.length === 1 && only !== undefined ? `${group}: ${only.title}` : `${group}: ${tasks.length} tasks`;
  const list = tasks.map(({ id, title }) => `* ${id}: ${title}`).join('\n');
  const trailers = [...tasks.map(({ id }) => `Task: ${id}`), `Session: ${session.id}`].join('\n');
  return `${subject}\n\n${list}\n\n${trailers}\n`;
}

/** The tips no other tip holds already: a task built upon another brings that one's commits along. */
export function independentTips(workshop: Workshop, tasks: readonly Task[]): Promise<readonly ObjectId[]> {
  return workshop.git.independent(tasks.flatMap(({ commit }) => (commit === null ? [] : [commit])));
}

interface MergeState {
  readonly tip: ObjectId;
  readonly tree: ObjectId;
  readonly merged: readonly Task[];
  readonly conflicts: readonly { readonly task: Task; readonly notes: string }[];
}

async function mergeTasks(workshop: Workshop, job: ChangesetJob, parent: ObjectId): Promise<MergeState> {
  const { tree } = await workshop.git.readCommit(parent);
  let state: MergeState = { tip: parent, tree, merged: [], conflicts: [] };
  for (const task of job.group.tasks) state = await mergeTask(workshop, job, state, task);
  return state;
}

async function mergeTask(
  workshop: Workshop,
  job: ChangesetJob,
  state: MergeState,
  task: Task,
): Promise<MergeState> {
  if (task.commit === null) return state;
  // Built upon a task that fell out: it falls out with it.
  const missing = task.dependencies.find((id) => state.conflicts.some((conflict) => conflict.task.id === id));
  if (missing !== undefined) return withConflict(state, task, `It builds upon ${missing}, which conflicts.`);
  const merge = await workshop.git.mergeTree(state.tip, task.commit);
  const solved =
    merge.kind === 'clean'
      ? merge
      : await solveConflict(workshop, {
          session: job.session,
          tip: state.tip,
          task,
          paths: merge.paths,
          messages: merge.messages,
        });
  if (solved.kind === 'unsolved') return withConflict(state, task, solved.notes);
  const { tree } = solved;
  // Only to merge the next one onto; what lands is one commit over all.
  const tip = await workshop.git.commitTree({
    tree,
    parents: [state.tip, task.commit],
    message: `Merge ${task.id}\n`,
  });
  return { ...state, tip, tree, merged: [...state.merged, task] };
}

function withConflict(state: MergeState, task: Task, notes: string): MergeState {
  return { ...state, conflicts: [...state.conflicts, { task, notes }] };
}

async function joinParents(workshop: Workshop, { base, parents, group }: ChangesetJob): Promise<ObjectId> {
  let tip = base;
  for (const commit of parents) {
    if (await workshop.git.isAncestor(commit, tip)) continue;
    if (await workshop.git.isAncestor(tip, commit)) {
      tip = commit;
      continue;
    }
    const merge = await workshop.git.mergeTree(tip, commit);
    // Two changesets that conflict with each other: shown on the first, the conflict appears when it lands.
    if (merge.kind === 'conflict') continue;
    tip = await workshop.git.commitTree({
      tree: merge.tree,
      parents: [tip, commit],
      message: `What ${group.group} builds upon\n`,
    });
  }
  return tip;
}
