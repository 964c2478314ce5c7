import type { ObjectId } from '../../domain/ids.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

/**
 * What git says against bringing a work tree from one commit to another, by trying it without doing it; nothing: it
 * can be done. So git's own rules hold: a file marked assume-unchanged or skip-worktree that differs is in the way,
 * one outside a sparse checkout isn't. `quiet` is the same place with filters that run nothing.
 */
export async function advanceObstacles(
  context: GitContext,
  quiet: GitContext,
  { from, to }: { readonly from: ObjectId; readonly to: ObjectId },
): Promise<readonly string[]> {
  const first = await tryAdvance(quiet, from, to);
  return first.length === 0 ? first : tryAdvance(context, from, to);
}

async function tryAdvance(context: GitContext, from: ObjectId, to: ObjectId): Promise<readonly string[]> {
  // A file that was only touched would look changed; 1 means that some are. A lock is reported by the next
  // command.
  await runGit(context, ['update-index', '-q', '--refresh'], { accept: [0, 1, 128] });
  const { exitCode, stderr } = await runGit(context, ['read-tree', '-m', '-u', '-n', from, to], {
    accept: [0, 1, 128],
  });
  return exitCode === 0 ? [] : stderr.split('\n').filter((line) => line !== '');
}
