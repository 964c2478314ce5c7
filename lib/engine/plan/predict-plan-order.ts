import { findInseparableGroups } from '../../core/changesets/cohesion-groups.ts';
import { listPlannedOverlaps, predictTaskBatches } from '../../core/schedule/predict-batches.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { PlanQuestion } from '../../domain/ports/gates.ts';
import type { Plan } from '../../domain/state/plan-schema.ts';
import {
  foldNameForComparison,
  globMatchesPath,
  hasWildcard,
  locksConflict,
  shellGlobMatchesPath,
} from '../../util/path-globs.ts';
import { expandLockBraces } from '../../util/path-patterns.ts';
import type { LockFactsReader } from '../lock-paths.ts';
import type { RunContext } from '../run-context.ts';

// A repository that has more is looked at as far as that.
const mostPaths = 200_000;
const mostNamed = 3;

type Unmatched = NonNullable<PlanQuestion['unmatched']>;

/**
 * Locks that match no file of a commit, nor anything another task may make, where that may be a mistake: those of a task
 * that could but add files, all of them folders or wildcards, and each one that is close to files that are there. Any
 * other without wildcards names a file to make.
 */
export async function findUnmatchedLocks(
  { git }: LockFactsReader,
  base: ObjectId,
  { tasks }: Plan,
): Promise<Unmatched> {
  // A shallow clone may lack it.
  if (tasks.length === 0 || (await git.resolveCommit(base)) === null) return [];
  const files = readPaths(await git.listFiles(base, mostPaths));
  return tasks.flatMap(({ id, file_locks: locks }): Unmatched => {
    const others = tasks.filter((other) => other.id !== id).flatMap(({ file_locks }) => file_locks);
    const missing = locks.filter((lock) => !files.has(lock) && !others.some((other) => locksConflict(lock, other)));
    const close = missing.map((lock) => ({ task: id, locks: [lock], close: files.closeTo(lock) }));
    const said = close.filter((one) => one.close.length > 0);
    const isAddingOnly = locks.length > 0 && missing.length === locks.length && locks.every(isWide);
    return said.length === 0 && isAddingOnly ? [{ task: id, locks, close: [] }] : said;
  });
}

function isWide(lock: string): boolean {
  return expandLockBraces(lock).every((part) => hasWildcard(part) || part.endsWith('/'));
}

/** Both answers take a pass over all paths for a lock with wildcards, and a look-up for any other. */
function readPaths(paths: readonly string[]): {
  has(lock: string): boolean;
  /** Paths a lock without a file probably meant: other case, brackets lost, or those of a shell. */
  closeTo(lock: string): readonly string[];
} {
  const known = new Set(paths.flatMap((path) => withFolders(path.normalize('NFC'))));
  const loose = new Map<string, string>();
  for (const path of known) loose.set(loosened(path), path);
  return {
    has: (lock) => (hasWildcard(lock) ? paths.some((path) => globMatchesPath(lock, path)) : known.has(plainPath(lock))),
    closeTo: (lock) => {
      if (!hasWildcard(lock)) {
        const similar = loose.get(loosened(plainPath(lock)));
        if (similar !== undefined) return [similar];
        return /[[(]/.test(lock) ? firstOf(paths, (path) => shellGlobMatchesPath(lock, path)) : [];
      }
      const looser = loosened(lock);
      return firstOf(paths, (path) => shellGlobMatchesPath(lock, path) || globMatchesPath(looser, loosened(path)));
    },
  };
}

function withFolders(path: string): readonly string[] {
  const names = path.split('/');
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

function plainPath(lock: string): string {
  const names = lock.normalize('NFC').split('/');
  return names.filter((name) => name !== '' && name !== '.').join('/');
}

function loosened(path: string): string {
  return foldNameForComparison(path).replace(/[[\]()]/g, '');
}

function firstOf(paths: readonly string[], isSelected: (path: string) => boolean): readonly string[] {
  const found: string[] = [];
  for (const path of paths) {
    if (isSelected(path)) found.push(path);
    if (found.length === mostNamed) break;
  }
  return found;
}

/** In which order the tasks of a plan would run, which of them share files, and what is decided together or in parts. */
export function predictPlanOrder(
  { config }: Pick<RunContext, 'config'>,
  plan: Plan,
): Pick<PlanQuestion, 'waves' | 'overlap' | 'circles'> {
  const { tasks } = plan;
  const { development, overlap: kind } = config.concurrency;
  const waves = predictTaskBatches(tasks, development);
  const remoteSession = listPlannedOverlaps(tasks, waves);
  const circles = findInseparableGroups(plan, kind === 'build-on' ? remoteSession : []);
  return {
    waves,
    ...(remoteSession.length === 0 ? {} : { overlap: { kind, tasks: remoteSession } }),
    ...(circles.length === 0 ? {} : { circles }),
  };
}
