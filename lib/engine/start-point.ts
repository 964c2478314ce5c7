import { FlameError } from '../domain/flame-error.ts';
import type { ObjectId } from '../domain/ids.ts';
import type { GitCommits, GitMerging } from '../domain/ports/git-commits.ts';
import { landsOn, type Session } from '../domain/state/session.ts';
import type { Task } from '../domain/state/task.ts';
import { joinSubject } from './foreign-commits.ts';
import type { WithGit } from './workshop.ts';

export type StartPoint =
  | { readonly kind: 'start'; readonly commit: ObjectId }
  | { readonly kind: 'conflict'; readonly with: string; readonly paths: readonly string[] };

/** The tip of the branch a session builds and lands on. Throws FlameError `no-base-branch`. */
export async function baseTip(workshop: WithGit<GitCommits>, session: Session): Promise<ObjectId> {
  const branch = landsOn(session);
  const tip = await workshop.git.resolveCommit(`refs/heads/${branch}`);
  if (tip !== null) return tip;
  throw new FlameError({
    kind: 'environment',
    code: 'no-base-branch',
    message: `The branch ${branch} that session ${session.id} builds on does not exist any more.`,
    hints: [`git branch ${branch} ${session.base_commit}`],
  });
}

/** Where a task's work starts: the base branch, with the work of its unmerged dependencies merged in. */
export async function startPoint(
  workshop: WithGit<GitCommits & GitMerging>,
  session: Session,
  task: Task,
  tasks: readonly Task[],
): Promise<StartPoint> {
  const base = await baseTip(workshop, session);
  const unmerged = task.dependencies
    .flatMap((id) => tasks.find((candidate) => candidate.id === id) ?? [])
    .flatMap(({ id, status, commit }) => (status === 'done' && commit !== null ? [{ id, commit }] : []));
  let start = base;
  for (const { id, commit } of unmerged) {
    const next = await joinWork(
      workshop,
      start,
      commit,
      `${joinSubject(task.id)} the work of ${id} on ${landsOn(session)}`,
    );
    if (next.kind === 'conflict') return { kind: 'conflict', with: id, paths: next.paths };
    start = next.commit;
  }
  return { kind: 'start', commit: start };
}

/** Merges a commit onto another one, where it isn't there already. */
export async function joinWork(
  workshop: WithGit<GitCommits & GitMerging>,
  start: ObjectId,
  commit: ObjectId,
  message: string,
): Promise<
  | { readonly kind: 'start'; readonly commit: ObjectId }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
> {
  if (await workshop.git.isAncestor(commit, start)) return { kind: 'start', commit: start };
  if (await workshop.git.isAncestor(start, commit)) return { kind: 'start', commit };
  const merged = await workshop.git.mergeTree(start, commit);
  if (merged.kind === 'conflict') return { kind: 'conflict', paths: merged.paths };
  return {
    kind: 'start',
    commit: await workshop.git.commitTree({ tree: merged.tree, parents: [start, commit], message }),
  };
}
