import { basename } from 'node:path';
import { parseSessionId, parseTaskId } from '../../domain/ids.ts';
import type { CellInfo, CellSubject, GitCells } from '../../domain/ports/git-cells.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitRefs, GitWorktrees, RefInfo } from '../../domain/ports/git-port.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { RunContext, WithGit } from '../run-context.ts';
import { listSessionsPastRetention } from './archive-old-sessions.ts';
import { listRemovableRescues, type RemovableRescue } from './rescue-refs.ts';
import { findTaskOfWorktree, isWorktreeSavedElsewhere } from './rescue-worktree.ts';
import { type CleanupItem, listStalePersonWorktrees, listStaleRequestBranches } from './stale-worktrees.ts';
import { listClosedTryWorktrees } from './tried-changesets.ts';

/** Lists remains of ended sessions and dead processes in the repository. Changes nothing. */
export async function listCleanupItems(context: RunContext): Promise<readonly CleanupItem[]> {
  const snapshot = await context.store.snapshot();
  const [worktrees, branches, changesets] = [
    await staleWorktrees(context),
    await staleRefs(context, snapshot, { prefix: 'refs/heads/blueflame/', kind: 'branch' }),
    await staleRefs(context, snapshot, { prefix: 'refs/blueflame/changesets/', kind: 'changeset' }),
  ];
  const sessions = (await listSessionsPastRetention(context)).map((session): CleanupItem => {
    const why = 'older than the newest sessions, which stay (retention.sessions): will be archived';
    return { kind: 'session', session, name: session, why, needsForce: false };
  });
  const own = (await listStalePersonWorktrees(context, snapshot)).map((worktree): CleanupItem => {
    const { path, subject, isDirty, isSaved } = worktree;
    const why = `of a person's claim of ${subject.task}${isDirty ? ', with uncommitted changes' : ''}`;
    return { kind: 'own worktree', worktree, name: path, why, needsForce: isDirty || !isSaved };
  });
  const tried = (await listClosedTryWorktrees(context, snapshot)).map(async ({ why, ...one }): Promise<CleanupItem> => {
    const { changes, commits } = await context.git.findOwnWorkInTry(one);
    const needsForce = changes.length + commits.length > 0;
    const said = changes.length > 0 ? `${why}, with uncommitted changes` : why;
    return { kind: 'tried changeset', tried: one, name: one.path, why: said, needsForce };
  });
  return [
    ...(await listRemovableRescues(context, snapshot)).map(staleRescue),
    ...worktrees,
    ...own,
    ...(await Promise.all(tried)),
    ...branches,
    ...(await listStaleRequestBranches(context, snapshot)),
    ...changesets,
    ...(await staleCommits(context, snapshot)),
    ...sessions,
  ];
}

function staleRescue({ rescue, isElsewhere, why }: RemovableRescue): CleanupItem {
  return { kind: 'rescue', ref: rescue, isElsewhere, name: rescue.name, why, needsForce: false };
}

/** Refs that kept commits for other clones while their session was open, all of which landed. */
async function staleCommits(
  context: WithGit<GitCommits & GitRefs>,
  snapshot: Snapshot,
): Promise<readonly CleanupItem[]> {
  const refs = await context.git.listRefs(keptCommits);
  const found = refs.map(async (ref): Promise<CleanupItem[]> => {
    const id = ref.ref.match(/\/(ses-[^/]+)/)?.[1];
    const session = snapshot.sessions.find((candidate) => candidate.id === id);
    if (session?.state !== 'ended' || !(await isOnBase(context, session, ref))) return [];
    const why = `landed on ${findLandingBranch(session)}`;
    return [{ kind: 'commit', ref, name: ref.ref, why, needsForce: false }];
  });
  return (await Promise.all(found)).flat();
}

const keptCommits = 'refs/blueflame/kept/';

async function staleWorktrees(
  context: Pick<RunContext, 'agents' | 'store'> & WithGit<GitCells>,
): Promise<readonly CleanupItem[]> {
  const live = new Set((await context.agents.listLiveAgents()).map(({ id }) => id));
  const idle = (await context.git.cells()).filter(({ owner, path }) => owner !== 'alive' && !live.has(basename(path)));
  return Promise.all(
    idle.map(async (cell) => ({ kind: 'worktree', cell, name: cell.path, ...(await judge(context, cell)) })),
  );
}

async function judge(
  context: Pick<RunContext, 'store'> & WithGit<GitCells>,
  cell: CellInfo,
): Promise<{ readonly why: string; readonly needsForce: boolean }> {
  // Another container or machine may be at work in it.
  if (cell.owner === 'unknown') return { why: 'the process that made it is not known', needsForce: true };
  if (cell.subject === null) return { why: 'left by a check', needsForce: false };
  const task = await findTaskOfWorktree(context, cell);
  if (await isWorktreeSavedElsewhere(context, cell, task).catch(() => false))
    return { why: 'holds no work of its own', needsForce: false };
  const status = task?.status ?? 'unknown';
  const isSettled = status === 'merged' || status === 'dropped';
  return { why: `an attempt at ${cell.subject.task}, which is ${status}`, needsForce: !isSettled };
}

async function staleRefs(
  context: WithGit<GitCommits & GitRefs & GitWorktrees>,
  snapshot: Snapshot,
  { prefix, kind }: { readonly prefix: string; readonly kind: 'branch' | 'changeset' },
): Promise<readonly CleanupItem[]> {
  const checkedOut = new Set((await context.git.worktrees()).map(({ branch }) => branch));
  const found = (await context.git.listRefs(prefix)).map(async (ref): Promise<CleanupItem | null> => {
    const subject = subjectOf(ref.ref.slice(prefix.length));
    const session = snapshot.sessions.find(({ id }) => id === subject?.session);
    if (subject === null || session?.state !== 'ended') return null;
    if (checkedOut.has(ref.ref.slice('refs/heads/'.length))) return null;
    const task = snapshot.tasksOf(subject.session).find(({ id }) => id === subject.task);
    const isMerged =
      (task?.landed_as !== undefined && task.commit === ref.commit) || (await isOnBase(context, session, ref));
    // A changeset only joins what task branches hold.
    const needsForce = !isMerged && kind === 'branch';
    const why = isMerged ? `landed on ${findLandingBranch(session)}` : `not landed, of ${session.id}`;
    return { kind, ref, subject, isMerged, name: ref.ref, why, needsForce };
  });
  return (await Promise.all(found)).filter((stale) => stale !== null);
}

function subjectOf(name: string): CellSubject | null {
  const [session = '', rest = ''] = name.split('/');
  try {
    return { session: parseSessionId(session), task: parseTaskId(rest) };
  } catch {
    return null;
  }
}

async function isOnBase(context: WithGit<GitCommits>, session: Session, { ref, commit }: RefInfo): Promise<boolean> {
  // A landing branch goes once its pull request is merged.
  for (const branch of new Set([findLandingBranch(session), session.base_branch])) {
    const tip = await context.git.resolveCommit(`refs/heads/${branch}`);
    if (tip === null) continue;
    if (await context.git.isAncestor(commit, tip)) return true;
    if (!ref.startsWith(keptCommits)) continue;
    const others = await context.git.commitsBetween(tip, commit);
    if (others.every(({ tree }) => emptyTrees.has(tree))) return true;
  }
  return false;
}

// A commit that keeps others has no files of its own.
const emptyTrees: ReadonlySet<string> = new Set([
  '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
]);
