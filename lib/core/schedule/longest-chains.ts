import { byText } from '../../util/by-text.ts';
import { fold } from '../../util/path-globs.ts';
import { byPriority } from '../task/by-priority.ts';
import type { Lockable } from './pick-batch.ts';
import { sortByNeeds } from './sort-by-needs.ts';

export interface Chained extends Lockable {
  readonly dependencies: readonly string[];
}

/**
 * For each task, how many steps the longest chain of tasks takes that begins with it: those that depend on it, and
 * those that have to wait for it because of a shared file, one after another. Takes about n log n steps for n tasks.
 * Globs count as the folder before their first wildcard, so a chain may be taken for longer than it is.
 */
export function longestChains(tasks: readonly Chained[]): ReadonlyMap<string, number> {
  const dependents = walk(tasks, byPriority, () => 0);
  const order = (a: Chained, b: Chained): number =>
    a.priority - b.priority ||
    (dependents.get(b.id) ?? 0) - (dependents.get(a.id) ?? 0) ||
    byText(a.id, b.id);
  const root: Folder = { here: 0, below: 0, children: new Map() };
  return walk(
    tasks,
    order,
    ({ file_locks: locks }) => Math.max(0, ...locks.map((lock) => longestAt(root, placeOf(lock)))),
    ({ file_locks: locks }, length) => {
      for (const lock of locks) enter(root, placeOf(lock), length);
    },
  );
}

/** Goes from those that come last to those that come first, in an order that keeps the dependencies. */
function walk(
  tasks: readonly Chained[],
  compare: (a: Chained, b: Chained) => number,
  shared: (task: Chained) => number,
  entered: (task: Chained, length: number) => void = () => undefined,
): ReadonlyMap<string, number> {
  const order = sortByNeeds(tasks, { id: ({ id }) => id, needs: (task) => task.dependencies, compare });
  const lengths = new Map<string, number>();
  const waiting = new Map<string, number>();
  for (const task of order.reverse()) {
    const length = 1 + Math.max(waiting.get(task.id) ?? 0, shared(task));
    lengths.set(task.id, length);
    for (const id of task.dependencies) waiting.set(id, Math.max(waiting.get(id) ?? 0, length));
    entered(task, length);
  }
  return lengths;
}

/** Longest chains of the tasks that lock exactly this path, and of those that lock it or anything below it. */
interface Folder {
  here: number;
  below: number;
  readonly children: Map<string, Folder>;
}

function longestAt(root: Folder, place: readonly string[]): number {
  let longest = root.here;
  let folder: Folder | undefined = root;
  for (const name of place) {
    folder = folder.children.get(name);
    if (folder === undefined) return longest;
    longest = Math.max(longest, folder.here);
  }
  return Math.max(longest, folder.below);
}

function enter(root: Folder, place: readonly string[], length: number): void {
  let folder = root;
  folder.below = Math.max(folder.below, length);
  for (const name of place) {
    const next: Folder = folder.children.get(name) ?? { here: 0, below: 0, children: new Map() };
    folder.children.set(name, next);
    folder = next;
    folder.below = Math.max(folder.below, length);
  }
  folder.here = Math.max(folder.here, length);
}

function placeOf(lock: string): readonly string[] {
  const names = fold(lock)
    .split('/')
    .filter((name) => name !== '' && name !== '.');
  const wild = names.findIndex((name) => /[*?[\]{}()!+@|\\]/.test(name));
  return wild === -1 ? names : names.slice(0, wild);
}
