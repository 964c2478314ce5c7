import { findSharedLock } from '../../core/schedule/shared-locks.ts';
import { claimTask } from '../../core/task/task-attempt.ts';
import type { Failure } from '../../domain/failure.ts';
import type { AgentId, ObjectId, SessionId } from '../../domain/ids.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import type { GitDiffs, GitFiles } from '../../domain/ports/git-contents.ts';
import type { AttemptRecord } from '../../domain/state/attempt-record.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { renderFileName } from '../../util/file-names.ts';
import { globMatchesPath, hasWildcard } from '../../util/path-globs.ts';
import { readLockFacts, recordLocksAfterRenames, whyLockLeadsElsewhere } from '../lock-paths.ts';
import { decideAndRecord, type RecordContext, type SessionView, viewSession } from '../record-changes.ts';
import { type RunContext, timestamp, type WithGit } from '../run-context.ts';
import { blockTaskOnConflict, describeWorkToBuildOn } from '../stacking/block-on-conflict.ts';
import { buildStartPoint, type StartPoint } from '../start-point.ts';

/** A claimed task: the session after the claim, and where the work starts. */
export interface StartedAttempt {
  readonly view: SessionView;
  readonly start: StartPoint;
  /** Why it can't be worked on from there, known before anything is paid for it. */
  readonly refusal: Failure | null;
}

interface Claim {
  readonly session: SessionId;
  readonly task: Task;
  readonly agent: AgentId;
  /** Path of its worktree. */
  readonly path: string;
  /** Attempts, where several are made at once; none by default. */
  readonly tries?: readonly AttemptRecord[];
}

/**
 * Claims a task for an agent, on the ground its work starts from. null: a conflict blocks it, another process claimed
 * or changed it or its start at this moment, or its locks followed a rename.
 */
export async function claimTaskForAgent(context: RunContext, claim: Claim): Promise<StartedAttempt | null> {
  const { session, task } = claim;
  const { session: now, tasks } = await viewSession(context, session);
  const start = await buildStartPoint(context, now, task, tasks);
  const lockFacts = describeWorkToBuildOn(context, task, tasks);
  if (start.kind === 'conflict' && !start.isDependency) {
    await blockTaskOnConflict(context, { task, ground: lockFacts }, start);
    return null;
  }
  if (start.kind === 'start' && (await recordLocksAfterRenames(context, { session: now }, task, start.commit)))
    return null;
  const refusal = start.kind === 'start' ? await findUnreachableLockFailure(context, task, start.commit) : null;
  const view = await claimOn(context, claim, { start, lockFacts });
  return view === null ? null : { view, start, refusal };
}

async function claimOn(
  context: RecordContext & Pick<RunContext, 'place'>,
  { session, task, agent, path, tries }: Claim,
  { start, lockFacts }: { readonly start: StartPoint; readonly lockFacts: string },
): Promise<SessionView | null> {
  const claimed = await decideAndRecord(context, session, (view) => {
    // Changed by another clone in this moment, it is only received.
    const now = view.tasks.find(({ id }) => id === task.id);
    if (now === undefined) return null;
    if (now.status !== 'pending' || now.rev !== task.rev) return null;
    if (describeWorkToBuildOn(context, now, view.tasks) !== lockFacts) return null;
    // Two claims never share a lock, also where this one was chosen by an older view.
    const claimed = view.tasks.filter(({ id, status }) => status === 'claimed' && id !== task.id);
    if (claimed.some((other) => findSharedLock(now, other) !== null)) return null;
    return {
      steps: [
        claimTask(now, {
          agentId: agent,
          worktree: path,
          at: timestamp(context),
          claimedBy: context.gates.person,
          host: context.place,
          ...(start.kind === 'start' ? { builtOn: start.builtOn } : {}),
          ...(tries === undefined ? {} : { tries }),
        }),
      ],
    };
  });
  return claimed.kind === 'done' ? claimed.view : null;
}

/**
 * Why a task can't be worked on: its locks lead through a symbolic link or into a
 * submodule, or name files that a filter turns into something else, which an agent never sees as they are.
 * null: nothing is against it.
 */
async function findUnreachableLockFailure(
  { git }: WithGit<GitFiles>,
  { file_locks }: Pick<Task, 'file_locks'>,
  start: ObjectId,
): Promise<Failure | null> {
  const ground = await readLockFacts({ git }, start);
  for (const lock of file_locks) {
    const why = whyLockLeadsElsewhere(ground, lock);
    if (why !== null) return onDetour(lock, why);
  }
  // A file that will be made has its attributes already.
  const named = file_locks.filter((lock) => !hasWildcard(lock) && !lock.endsWith('/'));
  const [made] = await git.filteredPaths(start, named);
  if (made !== undefined) return throughFilter(made.filter, [made.path]);
  const filtered = await git.filteredPaths(start);
  if (filtered.length === 0) return null;
  const names = new Map(filtered.map(({ path, filter }) => [path, filter]));
  const tracked = await git.listFiles(start, Number.POSITIVE_INFINITY);
  for (const lock of file_locks) {
    const covered = tracked.filter((path) => globMatchesPath(lock, path));
    const [first] = covered;
    // A request that covers other paths too may well be about those; its outcome is judged then.
    if (first !== undefined && covered.every((path) => names.has(path)))
      return throughFilter(names.get(first) ?? '', covered);
  }
  return null;
}

/** Files of a task's work that a filter would have to turn into what is committed, new ones too; null: none. */
export async function findFilteredFilesFailure(
  { git }: WithGit<GitDiffs & GitFiles>,
  { base: start, quarantine }: Pick<CellWorktree, 'base' | 'quarantine'>,
  tip: ObjectId,
): Promise<Failure | null> {
  const changes = await git.treeChanges(start, tip, quarantine);
  const kept = changes.flatMap(({ path, blob }) => (blob === null ? [] : path));
  const touched = await git.filteredPaths(start, kept);
  const [first] = touched;
  return first === undefined
    ? null
    : throughFilter(
        first.filter,
        touched.map(({ path }) => path),
      );
}

function onDetour(lock: string, why: string): Failure {
  return {
    kind: 'violation',
    message: `Its lock ${lock} ${why}.`,
    details: ['A lock must name files of this repository by their own paths.'],
    retryable: false,
  };
}

function throughFilter(filter: string, paths: readonly string[]): Failure {
  const names = paths.slice(0, 5).map(renderFileName).join(', ');
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
  return {
    kind: 'violation',
    message: `${names}${more} ${paths.length === 1 ? 'goes' : 'go'} through the filter ${JSON.stringify(filter)}, and no filter runs on what agents write, so no task can change such files.`,
    details: [
      'An agent sees these files as git stores them, and its changes would be committed unfiltered. Change them yourself.',
    ],
    retryable: false,
  };
}
