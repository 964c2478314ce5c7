import type { PlannedOverlap } from '../../domain/ports/gates.ts';
import { foldNameForComparison } from '../../util/path-globs.ts';
import { compareText } from '../../util/sort-and-group.ts';
import { pickNonConflictingBatch, type TaskWithLocks } from './pick-batch.ts';
import { findSharedLock } from './shared-locks.ts';
import { compareByPriority, sortByNeeds } from './sort-by-needs.ts';

/**
 * The batches in which the scheduler would run these tasks if all took equally long, as ids: for display.
 * Dependencies outside the list count as fulfilled; tasks of a dependency cycle are in no batch.
 */
export function predictTaskBatches(tasks: readonly Chained[], limit: number): readonly (readonly string[])[] {
  const waves: string[][] = [];
  const chains = computeChainLengths(tasks);
  let open = [...tasks];
  while (open.length > 0) {
    const waiting = new Set(open.map((task) => task.id));
    const ready = open.filter((task) => !task.dependencies.some((id) => waiting.has(id)));
    const { selected } = pickNonConflictingBatch({ ready, running: [], limit: Math.max(1, limit), chains });
    if (selected.length === 0) return waves;
    const taken = new Set<Chained>(selected);
    waves.push(selected.map((task) => task.id));
    open = open.filter((task) => !taken.has(task));
  }
  return waves;
}

interface Chained extends TaskWithLocks {
  readonly dependencies: readonly string[];
}

/**
 * For each task, how many steps the longest chain of tasks takes that begins with it: those that depend on it, and
 * those that have to wait for it because of a shared file, one after another. Takes about n log n steps for n tasks.
 * Globs count as the folder before their first wildcard, so a chain may be taken for longer than it is.
 */
export function computeChainLengths(tasks: readonly Chained[]): ReadonlyMap<string, number> {
  const dependents = walk(tasks, compareByPriority, () => 0);
  const order = (a: Chained, b: Chained): number =>
    a.priority - b.priority || (dependents.get(b.id) ?? 0) - (dependents.get(a.id) ?? 0) || compareText(a.id, b.id);
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
  /** The longest chain of those that depend on each. */
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
  const names = foldNameForComparison(lock)
    .split('/')
    .filter((name) => name !== '' && name !== '.');
  const wild = names.findIndex((name) => /[*?[\]{}()!+@|\\]/.test(name));
  return wild === -1 ? names : names.slice(0, wild);
}

/**
 * Which tasks of a plan share files, and so build on each other's work or conflict with it, by the order in which
 * they are planned to run. Of those that are built on each other the last is named; dependencies are not.
 */
export function listPlannedOverlaps(
  tasks: readonly Chained[],
  waves: readonly (readonly string[])[],
): readonly PlannedOverlap[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const order = waves.flat().flatMap((id) => byId.get(id) ?? []);
  // For each, itself and all below it.
  const holds = new Map<string, ReadonlySet<string>>();
  return order.flatMap((task, at) => {
    const held = new Set<string>();
    const hold = (id: string): void => {
      for (const below of holds.get(id) ?? []) held.add(below);
    };
    for (const id of task.dependencies) hold(id);
    const below: PlannedOverlap['below'][number][] = [];
    for (const other of order.slice(0, at).reverse()) {
      if (held.has(other.id)) continue;
      const lock = findSharedLock(task, other);
      if (lock === null) continue;
      below.push({ task: other.id, lock });
      hold(other.id);
    }
    holds.set(task.id, new Set([...held, task.id]));
    return below.length === 0 ? [] : [{ task: task.id, below }];
  });
}
