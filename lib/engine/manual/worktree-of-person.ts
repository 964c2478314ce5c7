import { basename } from 'node:path';
import { isClaimedByPerson, isTaskClaimable, nameTaskHolder } from '../../core/schedule/claimable-tasks.ts';
import { isClaimedByHand } from '../../core/schedule/next-action.ts';
import { FlameError, refusedError } from '../../domain/flame-error.ts';
import { type ObjectId, taskBranch } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitWorktrees } from '../../domain/ports/git-port.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { agentWorktreePath, isInWorktreeFolder, type RunContext, type WithGit } from '../run-context.ts';

/** Short name of the branch a person works on. */
export function shortTaskBranchName({ session, id }: Pick<Task, 'session' | 'id'>): string {
  return taskBranch(session, id).slice('refs/heads/'.length);
}

/** A free folder for a person's worktree of this name: an earlier one may be kept. */
export async function findFreeWorktreePath(
  context: Pick<RunContext, 'config' | 'root'> & WithGit<GitWorktrees>,
  name: string,
): Promise<string> {
  const taken = new Set((await context.git.worktrees()).map(({ path }) => path));
  const first = agentWorktreePath(context, name);
  let path = first;
  for (let n = 2; taken.has(path); n += 1) path = `${first}-${n}`;
  return path;
}

/** Two sessions may both have a task-001. */
export function folderName({ session, id }: Pick<Task, 'session' | 'id'>): string {
  return `${id}-${session.slice(-4)}`;
}

/**
 * The person's worktree of a task, whether it is there or not; null where the note names none, or a folder that no
 * claim of this task makes: what it says may have come from anywhere, and this one is moved off its branch and removed.
 */
export function personWorktreePath(context: Pick<RunContext, 'config' | 'root'>, task: Task): string | null {
  const { worktree } = task;
  if (worktree === null || !isInWorktreeFolder(context, worktree)) return null;
  const [name, first] = [basename(worktree), folderName(task)];
  return name === first || (name.startsWith(first) && /^-\d+$/.test(name.slice(first.length))) ? worktree : null;
}

/** The commit of a person's worktree, else of the task's branch; null where neither is there. */
export async function readPersonWorkTip(
  context: Pick<RunContext, 'config' | 'root'> & WithGit<GitCommits & GitWorktrees>,
  task: Task,
): Promise<ObjectId | null> {
  const path = personWorktreePath(context, task);
  if (path !== null && (await hasWorktreeAt(context, path))) return (await context.git.head(path)).commit;
  return context.git.resolveCommit(taskBranch(task.session, task.id));
}

/** Whether a worktree of the repository is at this path. */
export async function hasWorktreeAt(context: WithGit<GitWorktrees>, path: string): Promise<boolean> {
  return (await context.git.worktrees()).some((worktree) => worktree.path === path);
}

/**
 * Leaves a person's worktree: it is removed if everything in it is saved and the command doesn't run inside
 * it; else it stays, off its branch. Resolves to its path if it stays, as it does on any error.
 */
export async function leavePersonWorktree(
  context: Pick<RunContext, 'config' | 'root'> & WithGit<GitWorktrees>,
  task: Task,
  cwd: string,
): Promise<string | null> {
  const path = personWorktreePath(context, task);
  if (path === null || !(await hasWorktreeAt(context, path))) return null;
  try {
    await detachPersonWorktree(context, task);
    if (cwd === path || cwd.startsWith(`${path}/`)) return path;
    return (await context.git.removePersonWorktree(path)) ? null : path;
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    return path;
  }
}

/** Takes a person's worktree off its branch, so that the branch may move or go without it. */
export async function detachPersonWorktree(
  context: Pick<RunContext, 'config' | 'root'> & WithGit<GitWorktrees>,
  task: Task,
): Promise<void> {
  const worktree = personWorktreePath(context, task);
  if (worktree === null || !(await hasWorktreeAt(context, worktree))) return;
  if ((await context.git.head(worktree)).branch !== null) await context.git.detachWorktree(worktree);
}

/** Throws FlameError `not-yours` unless the person holds the task; `isForced`: another person's claim will do. */
export function requireClaimedByPerson(task: Task, person: string, isForced: boolean): void {
  if (isClaimedByPerson(task, person) || (isForced && isClaimedByHand(task))) return;
  const who = task.status === 'claimed' ? `claimed by ${nameTaskHolder(task)}` : task.status;
  throw refusedError('not-yours', `${task.id} is ${who}, not claimed by you.`, [
    `git flame task ${isTaskClaimable(task) ? 'claim' : 'show'} ${task.id}`,
  ]);
}
