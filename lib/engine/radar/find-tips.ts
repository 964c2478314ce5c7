import { readGround } from '../../core/task/needs-of.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { CellInfo, GitCells } from '../../domain/ports/git-cells.ts';
import type { GitTrials, PlacedCommit } from '../../domain/ports/git-trials.ts';
import type { Task } from '../../domain/state/task.ts';
import { branchName } from '../by-hand/hand-task.ts';
import type { WithGit } from '../workshop.ts';

export interface TipParts
  extends WithGit<Pick<GitCells, 'cells' | 'cellHead'> & Pick<GitTrials, 'restingTip'>> {
  /** The worktree of a claim by hand; null where it is not known. */
  readonly worktreeOf: (task: Task) => string | null;
}

/** Where the work of a task stands, and what it is compared with. */
export interface Tip extends PlacedCommit {
  readonly task: Task;
  readonly start: ObjectId;
  readonly isAtWork: boolean;
}

export interface Tips {
  readonly tips: readonly Tip[];
  /** Tasks at work whose worktree names no commit. */
  readonly unreadable: number;
}

/**
 * The committed work of tasks that has not landed: what was accepted, and what agents and persons of this clone have so
 * far. Starts no process.
 */
export async function findTips(parts: TipParts, tasks: readonly Task[]): Promise<Tips> {
  const claimed = tasks.some(({ status }) => status === 'claimed');
  const cells = claimed ? await parts.git.cells() : [];
  const tips: Tip[] = [];
  let unreadable = 0;
  const ground = readGround(tasks);
  for (const task of tasks) {
    // What waits is put on other work before it meets any.
    if (task.status === 'done' && !ground.waits(task)) {
      const { commit, start_commit: start } = task;
      tips.push({ task, commit, start, quarantine: null, isAtWork: false });
    }
    if (task.status !== 'claimed') continue;
    const tip = await tipAtWork(parts, task, cells);
    if (tip === 'unreadable') unreadable += 1;
    else if (tip !== null && tip.commit !== tip.start) tips.push(tip);
  }
  return { tips, unreadable };
}

/** null: nothing of it is here, as where another clone works on it. */
async function tipAtWork(
  { git, worktreeOf }: TipParts,
  task: Task,
  cells: readonly CellInfo[],
): Promise<Tip | 'unreadable' | null> {
  if (task.agent_id === null) {
    const start = task.start_commit;
    const commit = await git.restingTip(worktreeOf(task), branchName(task));
    return commit === null || start === null
      ? null
      : { task, commit, start, quarantine: null, isAtWork: true };
  }
  const cell = cells.find(
    ({ subject, path }) =>
      subject?.session === task.session && subject.task === task.id && path === task.worktree,
  );
  if (cell === undefined) return null;
  try {
    const commit = await git.cellHead(cell);
    // What it continues from an earlier attempt counts once it has added to that.
    const start = commit === cell.start ? cell.start : cell.base;
    return { task, commit, start, quarantine: cell.quarantine, isAtWork: true };
  } catch (error) {
    // The agent writes that file as it likes.
    if (error instanceof FlameError) return 'unreadable';
    throw error;
  }
}
