import { basename } from 'node:path';
import { type ObjectId, parseRefName, parseTaskId, type SessionId } from '../../domain/ids.ts';
import type { CellInfo, CellSubject, GitCells } from '../../domain/ports/git-cells.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitRefs, GitWorktrees, RefInfo, WorktreeInfo } from '../../domain/ports/git-port.ts';
import type { GitTryWorktrees, TryWorktree } from '../../domain/ports/git-try-worktrees.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import { type GroupPullRequest, groupPullRequestBranch } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { isInWorktreeFolder, type RunContext, type WithGit } from '../run-context.ts';
import { keepCommitAsRescue, rescueName } from './rescue-refs.ts';

/** Something that could go. `needsForce`: it holds work that was not merged. */
export type CleanupItem = { readonly name: string; readonly why: string; readonly needsForce: boolean } & (
  | { readonly kind: 'worktree'; readonly cell: CellInfo }
  | { readonly kind: 'own worktree'; readonly worktree: StaleHandWorktree }
  | { readonly kind: 'tried changeset'; readonly tried: TryWorktree }
  | { readonly kind: 'session'; readonly session: SessionId }
  | { readonly kind: 'commit'; readonly ref: RefInfo }
  | { readonly kind: 'rescue'; readonly ref: RefInfo; readonly isElsewhere: boolean }
  | {
      readonly kind: 'branch' | 'changeset';
      readonly ref: RefInfo;
      readonly subject: CellSubject;
      /** Whether the base branch has the commit itself: else it is kept as a rescue. */
      readonly isMerged: boolean;
    }
);

/** A worktree of a person whose task they no longer hold. */
interface StaleHandWorktree {
  readonly path: string;
  readonly head: ObjectId;
  readonly subject: CellSubject;
  /** Whether its commits are on the base branch or the task's. */
  readonly isSaved: boolean;
  readonly isDirty: boolean;
}

/** Worktrees that claims by hand left: submitted from inside, or given back with unsaved files. */
export async function listStalePersonWorktrees(
  context: Pick<RunContext, 'config' | 'root'> &
    WithGit<GitCells & GitCommits & GitRefs & GitTryWorktrees & GitWorktrees>,
  snapshot: Snapshot,
): Promise<readonly StaleHandWorktree[]> {
  const others = [...(await context.git.cells()), ...(await context.git.tryWorktrees())];
  const cells = new Set(others.map(({ path }) => path));
  const found = (await context.git.worktrees())
    .filter(({ path }) => isInWorktreeFolder(context, path) && !cells.has(path))
    .map(async (worktree): Promise<StaleHandWorktree[]> => {
      const task = taskOfFolder(snapshot, worktree.path);
      const isHeld = task?.status === 'claimed' && task.worktree === worktree.path;
      if (task === null || isHeld || worktree.head === null) return [];
      const [isSaved, dirty] = [
        await isKept(context, snapshot, { task, head: worktree.head }),
        await context.git.dirtyPaths(worktree.path),
      ];
      const subject = { session: task.session, task: task.id };
      return [{ path: worktree.path, head: worktree.head, subject, isSaved, isDirty: dirty.length > 0 }];
    });
  return (await Promise.all(found)).flat();
}

/** Removes one, its commits kept as a rescue where nothing else holds them; unsaved files keep it. */
export async function removeStalePersonWorktree(
  context: Pick<RunContext, 'gates' | 'store'> & WithGit<GitCommits & GitRefs & GitWorktrees>,
  { path, head, subject, isSaved }: StaleHandWorktree,
): Promise<{ readonly outcome: 'removed' | 'rescued' | 'kept'; readonly details: string }> {
  const rescue = isSaved ? null : rescueName(await keepCommitAsRescue(context, subject, head));
  if (!(await context.git.removePersonWorktree(path)))
    return { outcome: 'kept', details: 'it has uncommitted changes' };
  return rescue === null ? { outcome: 'removed', details: '' } : { outcome: 'rescued', details: rescue };
}

/** By its name, see findFreeWorktreePath. */
function taskOfFolder(snapshot: Snapshot, path: string): Task | null {
  const [, id, end] = /^(.+)-([0-9a-f]{4})(?:-\d+)?$/.exec(basename(path)) ?? [];
  const session = snapshot.sessions.find((one) => end !== undefined && one.id.endsWith(`-${end}`));
  if (session === undefined) return null;
  return snapshot.tasksOf(session.id).find((task) => task.id === id) ?? null;
}

async function isKept(
  context: WithGit<GitCommits & GitRefs>,
  snapshot: Snapshot,
  { task, head }: { readonly task: Task; readonly head: NonNullable<WorktreeInfo['head']> },
): Promise<boolean> {
  const session = snapshot.sessions.find(({ id }) => id === task.session);
  const base = await context.git.resolveCommit(`refs/heads/${session?.base_branch ?? ''}`);
  const rescues = await context.git.listRefs(`refs/blueflame/rescue/${task.session}/${task.id}/`);
  const holders = [base, task.commit, ...rescues.map(({ commit }) => commit)];
  for (const holder of holders) if (holder !== null && (await context.git.isAncestor(head, holder))) return true;
  return false;
}

type Git = WithGit<GitCommits & GitWorktrees>;

/**
 * Lists branches of pull requests of single groups whose session ended, except those whose request is open. A branch
 * merged there as another commit is kept as a rescue, since only the session's note reports that.
 */
export async function listStaleRequestBranches({ git }: Git, { sessions }: Snapshot): Promise<readonly CleanupItem[]> {
  const checkedOut = new Set((await git.worktrees()).map(({ branch }) => branch));
  const ended = sessions.filter(({ state }) => state === 'ended');
  const found = ended.flatMap((session) =>
    (session.landing?.requests ?? []).map((request) => judge(git, session, request)),
  );
  return (await Promise.all(found)).filter(
    (stale): stale is StaleBranch => stale !== null && !checkedOut.has(stale.ref.ref.slice('refs/heads/'.length)),
  );
}

type StaleBranch = Extract<CleanupItem, { kind: 'branch' | 'changeset' }>;

async function judge(
  git: Git['git'],
  { id, landing, base_branch: base }: Session,
  { group, branch, tip, merged, pull_request: url }: GroupPullRequest,
): Promise<StaleBranch | null> {
  if (landing === undefined || branch !== groupPullRequestBranch(landing, group)) return null;
  const commit = await git.resolveCommit(`refs/heads/${branch}`);
  const onBase = await git.resolveCommit(`refs/heads/${base}`);
  if (commit === null || onBase === null || (merged === null && url !== null)) return null;
  const isMerged = await git.isAncestor(commit, onBase);
  const isMergedThere = merged !== null && commit === tip;
  const why = isMerged ? `landed on ${base}` : isMergedThere ? 'its pull request was merged' : `not landed, of ${id}`;
  const ref = parseRefName(`refs/heads/${branch}`);
  return {
    kind: 'branch',
    ref: { ref, commit },
    // A group's name has the form of a task's.
    subject: { session: id, task: parseTaskId(group) },
    isMerged,
    name: ref,
    why,
    needsForce: !isMerged && !isMergedThere,
  };
}
