import { readStackState } from '../../core/task/stack-state.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { CellInfo, GitCells } from '../../domain/ports/git-cells.ts';
import type { GitTrials, MaybeQuarantinedCommit, TrialMergeResult } from '../../domain/ports/git-commits.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { isJsonRecord } from '../../util/json.ts';
import { shortTaskBranchName } from '../manual/worktree-of-person.ts';
import type { RunContext, WithGit } from '../run-context.ts';

export interface WorkTipFinderPorts
  extends WithGit<Pick<GitCells, 'cells' | 'cellHead'> & Pick<GitTrials, 'restingTip'>> {
  /** The worktree of a claim by hand; null where it is not known. */
  readonly worktreeOf: (task: Task) => string | null;
}

/** Tip of a task's work, and the commit it is compared with. */
export interface WorkTip extends MaybeQuarantinedCommit {
  readonly task: Task;
  readonly start: ObjectId;
  readonly isAtWork: boolean;
}

export interface WorkTips {
  readonly tips: readonly WorkTip[];
  /** Tasks at work whose worktree names no commit. */
  readonly unreadable: number;
}

/**
 * The committed work of tasks that has not landed: what was accepted, and what agents and persons of this clone have so
 * far. Starts no process.
 */
export async function findWorkTips(parts: WorkTipFinderPorts, tasks: readonly Task[]): Promise<WorkTips> {
  const claimed = tasks.some(({ status }) => status === 'claimed');
  const cells = claimed ? await parts.git.cells() : [];
  const stackState = readStackState(tasks);
  // Asked one after another, thousands of claims would take a round trip to git each.
  const found = await Promise.all(
    tasks.map((task) => {
      // Work that waits is rebased before it is compared with any.
      if (task.status === 'done' && !stackState.waits(task))
        return { task, commit: task.commit, start: task.start_commit, quarantine: null, isAtWork: false };
      if (task.status !== 'claimed' || (task.agent_id === null && task.start_commit === null)) return null;
      return tipAtWork(parts, task, cells);
    }),
  );
  const tips = found.filter((tip) => tip !== null && tip !== 'unreadable');
  return {
    tips: tips.filter(({ isAtWork, commit, start }) => !isAtWork || commit !== start),
    unreadable: found.filter((tip) => tip === 'unreadable').length,
  };
}

/** null: nothing of it is here, as where another clone works on it. */
async function tipAtWork(
  { git, worktreeOf }: WorkTipFinderPorts,
  task: Task,
  cells: readonly CellInfo[],
): Promise<WorkTip | 'unreadable' | null> {
  if (task.agent_id === null) {
    const start = task.start_commit;
    if (start === null) return null;
    const commit = await git.restingTip(worktreeOf(task), shortTaskBranchName(task));
    return commit === null ? null : { task, commit, start, quarantine: null, isAtWork: true };
  }
  const cell = cells.find(
    ({ subject, path }) => subject?.session === task.session && subject.task === task.id && path === task.worktree,
  );
  if (cell === undefined) return null;
  try {
    const commit = await git.cellHead(cell);
    // Work kept from an earlier attempt counts once this one has added to it.
    const start = commit === cell.start ? cell.start : cell.base;
    return { task, commit, start, quarantine: cell.quarantine, isAtWork: true };
  } catch (error) {
    // The agent writes that file as it likes.
    if (error instanceof FlameError) return 'unreadable';
    throw error;
  }
}

// The rest of a conflict in thousands of files is counted when it is met.
const mostKept = 2_000;
const mostPaths = 100;

/** Reads the trials of other processes for a session; unreadable ones are made again. */
export async function loadTrials(
  { trialCache }: Pick<RunContext, 'trialCache'>,
  session: SessionId,
  trials: Map<string, TrialMergeResult>,
): Promise<void> {
  const text = await trialCache.read(keyOf(session));
  if (text === null) return;
  try {
    for (const [key, kept] of JSON.parse(text)) {
      const trial = trialOf(kept);
      if (typeof key === 'string' && trial !== null) trials.set(key, trial);
    }
  } catch {
    // Another process was writing it.
  }
}

/** Stores the latest trials. A process that may not write there goes on without. */
export async function saveTrials(
  { trialCache }: Pick<RunContext, 'trialCache'>,
  session: SessionId,
  trials: ReadonlyMap<string, TrialMergeResult>,
): Promise<void> {
  const latest = [...trials].slice(-mostKept).map(([key, trial]) => [key, shortened(trial)]);
  await trialCache.write(keyOf(session), JSON.stringify(latest)).catch(() => undefined);
}

/** null: none that this version knows. Read by each `status`, for which a library of schemas takes too long to load. */
function trialOf(kept: unknown): TrialMergeResult | null {
  if (!isJsonRecord(kept)) return null;
  const { kind, paths } = kept;
  if (kind === 'clean' || kind === 'unrelated') return { kind };
  const isConflict = kind === 'conflict' && Array.isArray(paths);
  return isConflict && paths.every((path) => typeof path === 'string') ? { kind, paths } : null;
}

function shortened(trial: TrialMergeResult): TrialMergeResult {
  return trial.kind === 'conflict' ? { ...trial, paths: trial.paths.slice(0, mostPaths) } : trial;
}

function keyOf(session: SessionId): string {
  return `merges tried ahead ${session}`;
}
