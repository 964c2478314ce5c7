import { type ObjectId, taskBranch } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitDiffs } from '../../domain/ports/git-contents.ts';
import type { HistoryEntry, Task } from '../../domain/state/task.ts';
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
  // What lay below it then was others' work, and may have been refused since.
  const own = task.history.findLast(({ work }) => work !== undefined)?.work;
  if (own !== undefined && (await isHere(git, own)))
    return (await git.isAncestor(own.commit, start)) ? '' : git.diffText(own.start, own.commit, { maxBytes });
  const tip = task.commit ?? (await git.resolveCommit(taskBranch(task.session, task.id)));
  if (tip === null || (await git.isAncestor(tip, start))) return '';
  const from = await git.mergeBase(start, tip);
  return from === null ? '' : git.diffText(from, tip, { maxBytes });
}

async function isHere(
  git: GitCommits,
  { commit, start }: NonNullable<HistoryEntry['work']>,
): Promise<boolean> {
  for (const one of [commit, start]) if ((await git.resolveCommit(one)) === null) return false;
  return true;
}
