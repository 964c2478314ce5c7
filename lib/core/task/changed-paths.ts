import type { CellSnapshot } from '../../domain/ports/git-cells.ts';

/** Paths that are not in both, or not the same in both; sorted by their bytes. */
export function changedPaths(before: CellSnapshot, after: CellSnapshot): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths]
    .filter((path) => before.get(path) !== after.get(path))
    .sort()
    .map((path) => Buffer.from(path, 'latin1').toString());
}
