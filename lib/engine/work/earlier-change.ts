import { type ObjectId, taskBranch } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitDiffs } from '../../domain/ports/git-contents.ts';
import type { Task } from '../../domain/state/task.ts';
import type { WithGit } from '../workshop.ts';

/** Bytes of an earlier attempt's diff that the next one is shown; the rest is cut with a mark. */
const maxBytes = 40_000;

/** What the latest attempt that was sent back had changed, as a diff; '' where there was none. */
export async function earlierChange(
  { git }: WithGit<GitCommits & GitDiffs>,
  task: Task,
  start: ObjectId,
): Promise<string> {
  if (task.history.length === 0) return '';
  const tip = task.commit ?? (await git.resolveCommit(taskBranch(task.session, task.id)));
  if (tip === null || (await git.isAncestor(tip, start))) return '';
  const from = await git.mergeBase(start, tip);
  return from === null ? '' : git.diffText(from, tip, { maxBytes });
}
