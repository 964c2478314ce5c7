import { dirname } from 'node:path/posix';
import { foldNameForComparison, globMatchesPath, hasWildcard } from '../util/path-globs.ts';
import { isPathBlockedByGlob } from './judge-path.ts';

/** The outermost part of a path that one of the globs names; null: none. Repositories have many files of few names. */
export function createHiddenPartFinder(globs: readonly string[]): (path: string) => string | null {
  const byName = globs.filter((glob) => /^(?:\*\*\/)?[^/]+$/.test(glob));
  const byPath = globs.filter((glob) => !byName.includes(glob)).map((glob) => ({ glob, start: plainStart(glob) }));
  const known = new Map<string, boolean>();
  const isNamed = (name: string, isTop: boolean): boolean => {
    const key = `${isTop ? '' : '/'}${name}`;
    const found =
      known.get(key) ?? byName.some((glob) => (isTop || glob.startsWith('**/')) && isPathBlockedByGlob(glob, name));
    known.set(key, found);
    return found;
  };
  const folders = new Map<string, string | null>([['.', null]]);
  const partOf = (path: string): string | null => {
    const parent = dirname(path);
    const above = folders.has(parent) ? (folders.get(parent) ?? null) : partOf(parent);
    folders.set(parent, above);
    if (above !== null) return above;
    const name = parent === '.' ? path : path.slice(parent.length + 1);
    const folded = foldNameForComparison(path);
    const isHidden =
      isNamed(name, parent === '.') ||
      byPath.some(
        ({ glob, start }) => (folded.startsWith(start) || start.startsWith(folded)) && isPathBlockedByGlob(glob, path),
      );
    return isHidden ? path : null;
  };
  return partOf;
}

function plainStart(glob: string): string {
  return foldNameForComparison(glob.replace(/^(?:\.\/)+/, '')).split(/[*?[{+@!(\\]/)[0] ?? '';
}

/** Whether a hidden path is one that project.copy or link names in full, or lies in a hidden folder that it names so. */
export function isHiddenPathShared(globs: readonly string[], copy: readonly string[], path: string): boolean {
  return copy.some(
    (name) =>
      !hasWildcard(name) && globMatchesPath(name, path) && globs.some((glob) => isPathBlockedByGlob(glob, name)),
  );
}
