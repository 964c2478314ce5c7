import { basename } from 'node:path';
import type { ObjectId } from '../../domain/ids.ts';
import type { CellSubject, GitCells } from '../../domain/ports/git-cells.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitRefs, GitWorktrees, WorktreeInfo } from '../../domain/ports/git-port.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { Task } from '../../domain/state/task.ts';
import { isInWorktreeFolder, type WithGit, type Workshop } from '../workshop.ts';
import { keepCommit, rescueName } from './rescue-refs.ts';

/** A worktree of a person whose task they no longer hold. */
export interface StaleHandWorktree {
  readonly path: string;
  readonly head: ObjectId;
  readonly subject: CellSubject;
  /** Whether its commits are on the base branch or the task's. */
  readonly isSaved: boolean;
  readonly isDirty: boolean;
}

/** Worktrees that claims by hand left: submitted from inside, or given back with unsaved files. */
export async function staleHandWorktrees(
  workshop: Pick<Workshop, 'config' | 'root'> & WithGit<GitCells & GitCommits & GitRefs & GitWorktrees>,
  snapshot: Snapshot,
): Promise<readonly StaleHandWorktree[]> {
  const cells = new Set((await workshop.git.cells()).map(({ path }) => path));
  const found = (await workshop.git.worktrees())
    .filter(({ path }) => isInWorktreeFolder(workshop, path) && !cells.has(path))
    .map(async (worktree): Promise<StaleHandWorktree[]> => {
      const task = taskOfFolder(snapshot, worktree.path);
      const isHeld = task?.status === 'claimed' && task.worktree === worktree.path;
      if (task === null || isHeld || worktree.head === null) return [];
      const [isSaved, dirty] = [
        await isKept(workshop, snapshot, { task, head: worktree.head }),
        await workshop.git.dirtyPaths(worktree.path),
      ];
      const subject = { session: task.session, task: task.id };
      return [{ path: worktree.path, head: worktree.head, subject, isSaved, isDirty: dirty.length > 0 }];
    });
  return (await Promise.all(found)).flat();
}

/** Removes one, its commits kept as a rescue where nothing else holds them; unsaved files keep it. */
export async function removeHandWorktree(
  workshop: Pick<Workshop, 'gates' | 'store'> & WithGit<GitCommits & GitRefs & GitWorktrees>,
  { path, head, subject, isSaved }: StaleHandWorktree,
): Promise<{ readonly outcome: 'removed' | 'rescued' | 'kept'; readonly details: string }> {
  const rescue = isSaved ? null : rescueName(await keepCommit(workshop, subject, head));
  if (!(await workshop.git.removePersonWorktree(path)))
    return { outcome: 'kept', details: 'it holds changes that are not committed' };
  return rescue === null ? { outcome: 'removed', details: '' } : { outcome: 'rescued', details: rescue };
}

/** By its name, see freeWorktreePath. */
function taskOfFolder(snapshot: Snapshot, path: string): Task | null {
  const [, id, end] = /^(.+)-([0-9a-f]{4})(?:-\d+)?$/.exec(basename(path)) ?? [];
  const session = snapshot.sessions.find((one) => end !== undefined && one.id.endsWith(`-${end}`));
  if (session === undefined) return null;
  return snapshot.tasksOf(session.id).find((task) => task.id === id) ?? null;
}

async function isKept(
  workshop: WithGit<GitCommits & GitRefs>,
  snapshot: Snapshot,
  { task, head }: { readonly task: Task; readonly head: NonNullable<WorktreeInfo['head']> },
): Promise<boolean> {
  const session = snapshot.sessions.find(({ id }) => id === task.session);
  const base = await workshop.git.resolveCommit(`refs/heads/${session?.base_branch ?? ''}`);
  const rescues = await workshop.git.listRefs(`refs/blueflame/rescue/${task.session}/${task.id}/`);
  const holders = [base, task.commit, ...rescues.map(({ commit }) => commit)];
  for (const holder of holders)
    if (holder !== null && (await workshop.git.isAncestor(head, holder))) return true;
  return false;
}
