import type { CellSnapshot } from '../domain/git-port.ts';

export interface CellSnapshots {
  /** Before and after the configured diagnostics ran by themselves. */
  readonly before: CellSnapshot;
  readonly checked: CellSnapshot;
  /** After an agent ran the same diagnostics. */
  readonly after: CellSnapshot;
}

/**
 * Paths that changed while an agent was in a cell, sorted, those left out that the diagnostics change by themselves
 * (their caches and reports) and what lies in folders they made.
 */
export function unexplainedChanges({ before, checked, after }: CellSnapshots): readonly string[] {
  const explained = new Set(changedPaths(before, checked));
  const isFolder = (path: string): boolean => checked.get(path)?.startsWith('folder') === true;
  const isMade = (path: string): boolean => explained.has(path) && !before.has(path) && isFolder(path);
  return changedPaths(checked, after)
    .filter((path) => !explained.has(path) && !foldersAbove(path).some(isMade))
    .map((path) => Buffer.from(path, 'latin1').toString());
}

function changedPaths(before: CellSnapshot, after: CellSnapshot): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

function foldersAbove(path: string): readonly string[] {
  const segments = path.split('/').slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}
