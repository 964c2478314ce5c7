import type { ObjectId } from '../../domain/ids.ts';
import type { PlanQuestion } from '../../domain/ports/gates.ts';
import type { Plan } from '../../domain/state/plan.ts';
import { hasWildcard, lockCovers, lockParts, locksConflict } from '../../util/path-globs.ts';
import type { GroundReader } from '../lock-detours.ts';

// A repository that has more is looked at as far as that.
const mostPaths = 200_000;

/**
 * Tasks whose locks are of folders or wildcards alone and match no file of a commit, nor anything another task may
 * make: they can but add files, which is meant or a name mistyped. A lock without wildcards names a file to make.
 */
export async function unmatchedLocks(
  { git }: GroundReader,
  base: ObjectId,
  { tasks }: Plan,
): Promise<NonNullable<PlanQuestion['unmatched']>> {
  const isWide = (lock: string): boolean =>
    lockParts(lock).every((part) => hasWildcard(part) || part.endsWith('/'));
  const wide = tasks.filter(({ file_locks: locks }) => locks.length > 0 && locks.every(isWide));
  // A shallow clone may lack it.
  if (wide.length === 0 || (await git.resolveCommit(base)) === null) return [];
  const paths = await git.listFiles(base, mostPaths);
  return wide.flatMap(({ id, file_locks: locks }) => {
    const isMade = tasks.some(
      (other) =>
        other.id !== id && other.file_locks.some((one) => locks.some((lock) => locksConflict(lock, one))),
    );
    const isThere = locks.some((lock) => paths.some((path) => lockCovers(lock, path)));
    return isMade || isThere ? [] : [{ task: id, locks }];
  });
}
