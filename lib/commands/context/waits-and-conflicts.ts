import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isClaimedByHand } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Io } from '../../domain/view-models/command.ts';
import type { PredictedConflicts, TaskWait } from '../../domain/view-models/status-view.ts';
import type { ConflictDetectorPorts } from '../../engine/conflict-detection/conflict-detector.ts';
import type { RunContext } from '../../engine/run-context.ts';
import type { ReadContext } from './open-read-context.ts';

/** Limits of a read-only command's own trials; results of a run's trials are read. */
const lookMs = 1_000;
const mostTrials = 40;

/** Conflicts ahead in a session; undefined where there are none and nothing was left out. */
export async function predictSessionConflicts(
  reading: ReadContext,
  io: Io,
  { session, tasks }: { readonly session: Session; readonly tasks: readonly Task[] },
): Promise<PredictedConflicts | undefined> {
  if (session.state === 'ended') return undefined;
  if (!tasks.some(({ status }) => status === 'done' || status === 'claimed')) return undefined;
  const { git } = reading;
  // Loaded only for a session with work in it.
  const { createConflictDetector } = await import('../../engine/conflict-detection/conflict-detector.ts');
  const detector = createConflictDetector({
    git,
    now: () => new Date(),
    trialCache: openTrialCache(git.repository.commonDir),
    worktreeOf: await worktreesByHand(reading, io, tasks),
  });
  const time = AbortSignal.timeout(lookMs);
  const signal = io.signal === undefined ? time : AbortSignal.any([io.signal, time]);
  const ahead = await detector.look({ session, tasks }, { trials: mostTrials, signal });
  return isEmpty(ahead) ? undefined : ahead;
}

/** The part of it that is about one task; what was left out may be. */
export function selectConflictsOfTask(
  ahead: PredictedConflicts | undefined,
  task: string,
): PredictedConflicts | undefined {
  if (ahead === undefined) return undefined;
  const isAbout = ({ one, other }: PredictedConflicts['found'][number]): boolean =>
    one.task === task || ('task' in other && other.task === task);
  const own = { ...ahead, found: ahead.found.filter(isAbout) };
  return isEmpty(own) ? undefined : own;
}

function isEmpty({ found, untried_pairs, unseen_tasks }: PredictedConflicts): boolean {
  return found.length + untried_pairs + unseen_tasks === 0;
}

/** Loads the configuration only where a person works on something. Where it can't be read, the branches are used. */
async function worktreesByHand(
  { git, configFile }: Pick<ReadContext, 'git' | 'configFile'>,
  io: Io,
  tasks: readonly Task[],
): Promise<ConflictDetectorPorts['worktreeOf']> {
  const root = git.repository.mainWorkTree;
  if (root === null || !tasks.some((task) => isClaimedByHand(task) && task.worktree !== null)) return () => null;
  const { readConfig } = await import('./read-config.ts');
  const { readPermissionRequest } = await import('./permission-gate.ts');
  const { personWorktreePath } = await import('../../engine/manual/worktree-of-person.ts');
  try {
    const { config } = readPermissionRequest(await readConfig(root, configFile), io, { git, root }).content;
    return (task) => personWorktreePath({ root, config }, task);
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    return () => null;
  }
}

interface Seen {
  readonly git: Pick<GitPort, 'repository'>;
}

/**
 * Why tasks are not worked on, by id: what they depend on, a file that another one is at, or work below them that
 * conflicts, as the run that found it has noted. How many may work at once is not looked at.
 */
export async function readTaskWaitReasons(
  { git }: Seen,
  session: Session,
  tasks: readonly Task[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (session.state === 'ended' || !tasks.some(({ status }) => status === 'pending')) return new Map();
  // Loaded only where there are locks to compare.
  const { listWaitReasonsByTask } = await import('../../core/schedule/wait-reasons.ts');
  const { loadConflictBlocks } = await import('../../engine/stacking/block-on-conflict.ts');
  const trialCache = openTrialCache(git.repository.commonDir);
  const blockedByConflict = await loadConflictBlocks({ trialCache }, session.id, tasks);
  return listWaitReasonsByTask(tasks, {
    limit: Number.POSITIVE_INFINITY,
    now: Date.now(),
    blockedByConflict,
  });
}

/** Reads tasks that wait for another reason than their dependencies. */
export async function readWaitsBeyondDependencies(
  seen: Seen,
  session: Session,
  tasks: readonly Task[],
): Promise<readonly TaskWait[]> {
  const settled = new Set<string>();
  for (const { id, status } of tasks) if (status === 'done' || status === 'merged') settled.add(id);
  // Nothing else is in the way of a task where none is at work or waits to land.
  if (!tasks.some(({ status }) => status === 'claimed' || status === 'done')) return [];
  const reasons = await readTaskWaitReasons(seen, session, tasks);
  return tasks.flatMap(({ id, dependencies }) => {
    const because = reasons.get(id) ?? [];
    return because.length === 0 || !dependencies.every((need) => settled.has(need)) ? [] : [{ task: id, because }];
  });
}

/** Cache of earlier trials, beside the logs: it may be deleted at any time, and trials run again then. */
export function openTrialCache(commonDir: string): RunContext['trialCache'] {
  const folder = join(commonDir, 'blueflame', 'logs');
  const fileOf = (key: string): string =>
    join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.tried.json`);
  return {
    read: (key) => readFile(fileOf(key), 'utf8').catch(() => null),
    write: async (key, text) => {
      await mkdir(folder, { recursive: true });
      await writeFile(fileOf(key), text);
    },
  };
}
