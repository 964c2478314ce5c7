import { followRenames } from '../core/task/changed-paths.ts';
import type { ObjectId } from '../domain/ids.ts';
import type { GitCommits } from '../domain/ports/git-commits.ts';
import type { GitDiffs } from '../domain/ports/git-contents.ts';
import type { Task } from '../domain/state/task.ts';
import { showName } from '../util/file-names.ts';
import { isJoined } from './machines/await-others.ts';
import { type Recorder, record, type SessionView } from './record.ts';
import type { WithGit } from './workshop.ts';

const mostNamed = 5;

/**
 * Has the locks of a task that waits follow the renames between the commit they were given for and the one its work
 * starts from, so that an agent may change what a colleague moved. true: they changed, and were recorded. Where machines
 * share the session, only the one that leads changes a task.
 */
export async function keepLocks(
  workshop: Recorder & WithGit<GitCommits & GitDiffs>,
  { session }: Pick<SessionView, 'session'>,
  task: Task,
  start: ObjectId,
): Promise<boolean> {
  if (isJoined(workshop)) return false;
  const renames = await renamesBetween(workshop, task.locks_at ?? session.base_commit, start);
  const { locks, followed } = followRenames(task.file_locks, renames);
  if (followed.length === 0) return false;
  const done = await record(workshop, session.id, ({ tasks }) => {
    const now = tasks.find(({ id }) => id === task.id);
    if (now?.status !== 'pending' || now.rev !== task.rev) return null;
    const next = { ...now, file_locks: [...locks], locks_at: start };
    const subject = `${now.id}: file_locks follow what the base renamed`;
    return { steps: [{ task: next, subject, transition: 'pending -> pending' }] };
  });
  if (done.kind !== 'done') return true;
  const named = followed.slice(0, mostNamed).map(({ from, to }) => `${showName(from)} to ${showName(to)}`);
  const more = followed.length > mostNamed ? ` and ${followed.length - mostNamed} more` : '';
  workshop.events.emit({
    event: 'notice',
    level: 'info',
    message: `Files that ${task.id} may change were renamed, and its locks follow: ${named.join(', ')}${more}.`,
  });
  return true;
}

async function renamesBetween(
  { git }: WithGit<GitCommits & GitDiffs>,
  from: ObjectId,
  to: ObjectId,
): ReturnType<GitDiffs['renames']> {
  if (from === to || (await git.resolveCommit(from)) === null) return [];
  const changes = await git.treeChanges(from, to);
  return changes.some(({ blob }) => blob === null) ? git.renames(from, to) : [];
}
