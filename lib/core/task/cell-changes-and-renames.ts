import type { CellSnapshot } from '../../domain/ports/git-cells.ts';
import type { RenamedFile } from '../../domain/state/patch.ts';
import { globMatchesPath, hasWildcard } from '../../util/path-globs.ts';

/** Paths that are not in both, or not the same in both; sorted by their bytes. */
export function listChangedCellPaths(before: CellSnapshot, after: CellSnapshot): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths]
    .filter((path) => before.get(path) !== after.get(path))
    .sort()
    .map((path) => Buffer.from(path, 'latin1').toString());
}

const longestLock = 500;

/**
 * Locks that still name what they named before files were renamed. A lock that is the name of a renamed file becomes its
 * new name; a folder or a pattern stays, and where all it lost went to the same place, that is locked the same way, else
 * each file by its name. `followed`: each change, by lock.
 */
export function renameLocksLikeFiles(
  locks: readonly string[],
  renames: readonly RenamedFile[],
): { readonly locks: readonly string[]; readonly followed: readonly RenamedFile[] } {
  const followed: RenamedFile[] = [];
  const isCovered = (path: string): boolean =>
    [...locks, ...followed.map(({ to }) => to)].some((lock) => globMatchesPath(lock, path));
  for (const lock of locks) {
    const lost = renames.filter(({ from, to }) => globMatchesPath(lock, from) && !isCovered(to));
    const moved = movedTo(lock, lost);
    const names = moved === null ? lost.map(({ to }) => to) : [moved];
    for (const to of names) if (to.length <= longestLock) followed.push({ from: lock, to });
  }
  const gone = new Set(renames.map(({ from }) => from));
  const kept = locks.filter((lock) => !gone.has(lock) || !followed.some(({ from }) => from === lock));
  return { locks: [...new Set([...kept, ...followed.map(({ to }) => to)])], followed };
}

/** The lock with the place that all of these went to; null: there is no such place, or none of them. */
function movedTo(lock: string, lost: readonly RenamedFile[]): string | null {
  const start = literalStart(lock);
  const [first] = lost;
  if (first === undefined || start === '' || !first.from.startsWith(start)) return null;
  const rest = first.from.slice(start.length);
  if (!first.to.endsWith(rest)) return null;
  const place = first.to.slice(0, first.to.length - rest.length);
  const isThere = lost.every(({ from, to }) => from.startsWith(start) && to === `${place}${from.slice(start.length)}`);
  return isThere && place !== '' ? `${place}${lock.slice(start.length)}` : null;
}

/** A lock up to its first name that may be a pattern, without a final `/`. */
function literalStart(lock: string): string {
  const names = lock.replace(/\/$/, '').split('/');
  const end = names.findIndex(hasWildcard);
  return names.slice(0, end === -1 ? undefined : end).join('/');
}
