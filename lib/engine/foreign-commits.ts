import type { ObjectId } from '../domain/ids.ts';
import type { CommitInfo, GitCommits, GitMerging } from '../domain/ports/git-commits.ts';
import type { Task } from '../domain/state/task.ts';
import type { WithGit } from './workshop.ts';

/** Subject of the commit that joins a task's dependencies, see startPoint. */
export const joinSubject = (task: string): string => `Start of ${task}:`;

/**
 * Commits that merging a task would bring along although neither it nor a task of `group` made them: they were on
 * the base when it began and were taken off since, by a reset, an amend or a rebase. None where it began on what
 * `onto` holds.
 */
export async function foreignCommits(
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
  if (!tasks.some(({ id }) => message.startsWith(joinSubject(id)))) return false;
  const [ours, theirs, ...more] = parents;
  if (ours === undefined || theirs === undefined || more.length > 0) return false;
  const merge = await git.mergeTree(ours, theirs);
  return merge.kind === 'clean' && merge.tree === tree;
}
