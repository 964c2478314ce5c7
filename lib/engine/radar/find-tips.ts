import { readGround } from '../../core/task/needs-of.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { CellInfo, GitCells } from '../../domain/ports/git-cells.ts';
import type { GitTrials, PlacedCommit } from '../../domain/ports/git-commits.ts';
import type { Task } from '../../domain/state/task.ts';
import { branchName } from '../by-hand/hand-task.ts';
import type { WithGit } from '../workshop.ts';

export interface TipParts
  extends WithGit<Pick<GitCells, 'cells' | 'cellHead'> & Pick<GitTrials, 'restingTip'>> {
  /** The worktree of a claim by hand; null where it is not known. */
  readonly worktreeOf: (task: Task) => string | null;
}

/** Tip of a task's work, and the commit it is compared with. */
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
  const ground = readGround(tasks);
  // Asked one after another, thousands of claims would take a round trip to git each.
  const found = await Promise.all(
    tasks.map((task) => {
      // Work that waits is rebased before it is compared with any.
      if (task.status === 'done' && !ground.waits(task)) return acceptedTip(task);
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

function acceptedTip(task: Task & { readonly status: 'done' }): Tip {
  const { commit, start_commit: start } = task;
  return { task, commit, start, quarantine: null, isAtWork: false };
}

/** null: nothing of it is here, as where another clone works on it. */
async function tipAtWork(
  { git, worktreeOf }: TipParts,
  task: Task,
  cells: readonly CellInfo[],
): Promise<Tip | 'unreadable' | null> {
  if (task.agent_id === null) {
    const start = task.start_commit;
    if (start === null) return null;
    const commit = await git.restingTip(worktreeOf(task), branchName(task));
    return commit === null ? null : { task, commit, start, quarantine: null, isAtWork: true };
  }
  const cell = cells.find(
    ({ subject, path }) =>
      subject?.session === task.session && subject.task === task.id && path === task.worktree,
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
