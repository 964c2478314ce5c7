import { type RefName, taskBranch } from '../domain/ids.ts';
import type { Snapshot } from '../domain/store-port.ts';
import type { Task } from '../domain/task.ts';
import type { CatFile } from '../git/cat-file.ts';
import type { RefCommand } from '../git/ref-transaction.ts';
import { type GitContext, runGit } from '../git/run-git.ts';
import { listRefs } from './list-refs.ts';

/**
 * Task branches that follow what was received: made where there is none, moved where it still is at what the
 * local note said. One that is checked out or elsewhere is the person's business, and stays.
 */
export async function branchMoves(
  context: GitContext,
  catFile: CatFile,
  before: Snapshot,
  after: Snapshot,
): Promise<RefCommand[]> {
  const changed = after.sessions
    .filter(({ state }) => state !== 'ended')
    .flatMap(({ id }) => {
      const known = new Map(before.tasksOf(id).map((task) => [task.id, task]));
      return after.tasksOf(id).map((task) => ({ task, old: known.get(task.id) ?? null }));
    })
    .filter(({ task, old }) => hasWork(task) && task.commit !== old?.commit);
  if (changed.length === 0) return [];
  const branches = await listRefs(context, 'refs/heads/blueflame/');
  const checkedOut = await checkedOutBranches(context);
  const moves = await Promise.all(
    changed.map(async ({ task, old }): Promise<RefCommand[]> => {
      const ref = taskBranch(task.session, task.id);
      const tip = branches.get(ref) ?? null;
      const isOurs = tip === null || tip === old?.commit;
      if (task.commit === null || !isOurs || checkedOut.has(ref)) return [];
      const isThere = (await catFile.info(task.commit))?.type === 'commit';
      return isThere ? [{ ref, old: tip, new: task.commit }] : [];
    }),
  );
  return moves.flat();
}

/** Work that is still to land. */
function hasWork({ status, branch, commit }: Task): boolean {
  return branch !== null && commit !== null && status !== 'merged' && status !== 'dropped';
}

async function checkedOutBranches(context: GitContext): Promise<ReadonlySet<RefName>> {
  const { stdout } = await runGit(context, ['worktree', 'list', '--porcelain', '-z']);
  const lines = stdout.toString().split('\0');
  return new Set(
    lines.flatMap((line) => (line.startsWith('branch ') ? [line.slice('branch '.length) as RefName] : [])),
  );
}
