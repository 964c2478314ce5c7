import { listWorkToBuildOn, type WorkToBuildOn } from '../core/schedule/work-to-build-on.ts';
import type { ObjectId } from '../domain/ids.ts';
import { noBaseBranchError } from '../domain/input-errors.ts';
import type { CommitInfo, GitCommits, GitMerging } from '../domain/ports/git-commits.ts';
import { findLandingBranch } from '../domain/state/session-facts.ts';
import type { Session } from '../domain/state/session-schema.ts';
import type { BuiltOn, Task } from '../domain/state/task-schema.ts';
import { shellQuote } from '../util/shell-quote.ts';
import { isJoinedMachine } from './machines/held-elsewhere.ts';
import type { RunContext, WithGit } from './run-context.ts';

export type StartPoint =
  /** builtOn: the part that has not landed. */
  | { readonly kind: 'start'; readonly commit: ObjectId; readonly builtOn: BuiltOn }
  /** Two works it would hold conflict. isDependency: the task can't do without the second one. */
  | {
      readonly kind: 'conflict';
      readonly with: string;
      readonly paths: readonly string[];
      readonly isDependency: boolean;
    };

/** The tip of the branch a session builds and lands on. Throws FlameError `no-base-branch`. */
export async function readBaseTip(
  context: WithGit<GitCommits> & Pick<RunContext, 'remoteSession'>,
  session: Session,
): Promise<ObjectId> {
  // The branch of who joined may be behind: what the lead landed is in the session.
  if (isJoinedMachine(context)) return session.base_commit;
  const branch = findLandingBranch(session);
  const tip = await context.git.resolveCommit(`refs/heads/${branch}`);
  if (tip !== null) return tip;
  throw noBaseBranchError(branch, [
    `git branch ${shellQuote(branch)} ${session.base_commit}`,
    `Or, if it was renamed, restore its name until the session has ended: git branch -m NEW ${shellQuote(branch)}`,
  ]);
}

/**
 * Finds the commit a task's work starts from: the base branch, joined with accepted work that has not landed: of its
 * dependencies, and by `concurrency.overlap` of the tasks its locks overlap with.
 */
export async function buildStartPoint(
  context: Pick<RunContext, 'config' | 'remoteSession'> & WithGit<GitCommits & GitMerging>,
  session: Session,
  task: Task,
  tasks: readonly Task[],
): Promise<StartPoint> {
  let start = await readBaseTip(context, session);
  const below = await topmost(context, start, listWorkToBuildOn(task, tasks, context.config.concurrency.overlap));
  for (const { task: id, commit, lock } of below) {
    const next = await mergeCommitOnto(
      context,
      start,
      commit,
      `${startCommitSubject(task.id)} the work of ${id} on ${findLandingBranch(session)}`,
    );
    if (next.kind === 'conflict') return { kind: 'conflict', with: id, paths: next.paths, isDependency: lock === null };
    start = next.commit;
  }
  return {
    kind: 'start',
    commit: start,
    builtOn: below.map(({ task: id, commit }) => ({ task: id, commit })),
  };
}

/** Without what the base or another one holds already. */
async function topmost(
  { git }: WithGit<GitCommits>,
  base: ObjectId,
  below: readonly WorkToBuildOn[],
): Promise<readonly WorkToBuildOn[]> {
  if (below.length === 0) return below;
  const tops = new Set(await git.dropContainedCommits([base, ...below.map(({ commit }) => commit)]));
  const seen = new Set<ObjectId>([base]);
  return below.filter(({ commit }) => {
    const isTop = tops.has(commit) && !seen.has(commit);
    seen.add(commit);
    return isTop;
  });
}

/** Whether this clone has all of these commits: what only another one made may be missing. */
export async function areCommitsHere(
  git: Pick<GitCommits, 'resolveCommit'>,
  commits: readonly ObjectId[],
): Promise<boolean> {
  for (const commit of commits) if ((await git.resolveCommit(commit)) === null) return false;
  return true;
}

/** Merges a commit onto another one, where it isn't there already. */
export async function mergeCommitOnto(
  context: WithGit<GitCommits & GitMerging>,
  start: ObjectId,
  commit: ObjectId,
  message: string,
): Promise<
  | { readonly kind: 'start'; readonly commit: ObjectId }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
> {
  if (await context.git.isAncestor(commit, start)) return { kind: 'start', commit: start };
  if (await context.git.isAncestor(start, commit)) return { kind: 'start', commit };
  const merged = await context.git.mergeTree(start, commit);
  if (merged.kind === 'conflict') return { kind: 'conflict', paths: merged.paths };
  return {
    kind: 'start',
    commit: await context.git.writeUnsignedCommit({ tree: merged.tree, parents: [start, commit], message }),
  };
}

/** Subject of the commit that joins a task's dependencies, see buildStartPoint. */
export const startCommitSubject = (task: string): string => `Start of ${task}:`;

/**
 * Commits that merging a task would bring along although neither it nor a task of `group` made them: they were on
 * the base when it began and were taken off since, by a reset, an amend or a rebase. None where it began on what
 * `onto` holds.
 */
export async function listCommitsTakenOffBase(
  { git }: WithGit<GitCommits & GitMerging>,
  { onto, group, task }: { readonly onto: ObjectId; readonly group: readonly Task[]; readonly task: Task },
): Promise<readonly CommitInfo[]> {
  const start = task.start_commit;
  if (start === null || start === onto || (await git.isAncestor(start, onto))) return [];
  const own = new Set<ObjectId>();
  for (const { start_commit: from, commit: to } of group) {
    if (from === null || to === null || to === task.commit) continue;
    for (const { oid } of await git.commitsBetween(from, to)) own.add(oid);
  }
  const foreign: CommitInfo[] = [];
  for (const commit of await git.commitsBetween(onto, start))
    if (!own.has(commit.oid) && !(await isJoin(git, commit, [...group, task]))) foreign.push(commit);
  return foreign;
}

/** True if a commit holds its parents' changes and nothing more: its message alone proves nothing. */
async function isJoin(
  git: GitMerging,
  { message, parents, tree }: CommitInfo,
  tasks: readonly Task[],
): Promise<boolean> {
  if (!tasks.some(({ id }) => message.startsWith(startCommitSubject(id)))) return false;
  const [ours, theirs, ...more] = parents;
  if (ours === undefined || theirs === undefined || more.length > 0) return false;
  const merge = await git.mergeTree(ours, theirs);
  return merge.kind === 'clean' && merge.tree === tree;
}
