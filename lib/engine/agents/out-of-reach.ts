import type { Failure } from '../../domain/failure.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import type { GitDiffs, GitFiles } from '../../domain/ports/git-contents.ts';
import type { Task } from '../../domain/state/task.ts';
import { showName } from '../../util/file-names.ts';
import { hasWildcard, pathMatches } from '../../util/path-globs.ts';
import { judgeDetour, readLockGround } from '../lock-detours.ts';
import type { WithGit } from '../workshop.ts';

/**
 * Why a task can't be worked on, before anything is paid for it: its locks lead through a symbolic link or into a
 * submodule, or name files that a filter turns into something else, which an agent never sees as they are.
 * null: nothing is against it.
 */
export async function outOfReach(
  { git }: WithGit<GitFiles>,
  { file_locks }: Pick<Task, 'file_locks'>,
  start: ObjectId,
): Promise<Failure | null> {
  const ground = await readLockGround({ git }, start);
  for (const lock of file_locks) {
    const why = judgeDetour(ground, lock);
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
    const covered = tracked.filter((path) => pathMatches(lock, path));
    const [first] = covered;
    // A request that covers other paths too may well be about those; its outcome is judged then.
    if (first !== undefined && covered.every((path) => names.has(path)))
      return throughFilter(names.get(first) ?? '', covered);
  }
  return null;
}

/** Files of a task's work that a filter would have to turn into what is committed, new ones too; null: none. */
export async function filteredWork(
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
    details: ['Only files of this repository are taken in, each by its own path.'],
    retryable: false,
  };
}

function throughFilter(filter: string, paths: readonly string[]): Failure {
  const names = paths.slice(0, 5).map(showName).join(', ');
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
  return {
    kind: 'violation',
    message: `${names}${more} ${paths.length === 1 ? 'goes' : 'go'} through the filter ${JSON.stringify(filter)}, which never runs on what an agent wrote: such files can't be worked on.`,
    details: [
      'An agent sees them as git stores them, and what it wrote would be committed unfiltered. Change them yourself.',
    ],
    retryable: false,
  };
}
