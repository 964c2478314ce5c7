import { listLiteralStartsOfLock, locksConflict } from '../../util/path-globs.ts';
import { compareText } from '../../util/sort-and-group.ts';

interface Folder {
  readonly below: Map<string, Folder>;
  /** Places of those with a lock that is literal up to here and no further. */
  readonly here: number[];
}

/**
 * Finds who shares a lock without comparing each with each: two locks are apart where they are literal and differ, so
 * only those along a lock's own path, and below it, are looked at.
 */
export class LockIndex<T extends Locking> {
  readonly #all: T[] = [];
  readonly #root: Folder = newFolder();
  /** Places of those with a lock that isn't a path: it conflicts with any. */
  readonly #anywhere: number[] = [];

  constructor(all: Iterable<T> = []) {
    for (const one of all) this.add(one);
  }

  add(one: T): void {
    const place = this.#all.push(one) - 1;
    for (const start of one.file_locks.flatMap(listLiteralStartsOfLock)) {
      if (start === null) this.#anywhere.push(place);
      else folderAt(this.#root, start).here.push(place);
    }
  }

  /** The first one that was added and shares a lock with the task, and that lock of the task's. */
  find(task: Locking): { readonly other: T; readonly lock: string } | null {
    const places = new Set(this.#anywhere);
    for (const start of task.file_locks.flatMap(listLiteralStartsOfLock)) {
      if (start === null) collect(this.#root, places);
      else this.#collectAlong(start, places);
    }
    for (const place of [...places].sort((a, b) => a - b)) {
      const other = this.#all[place];
      const lock = other === undefined ? null : findSharedLock(task, other);
      if (other !== undefined && lock !== null) return { other, lock };
    }
    return null;
  }

  #collectAlong(start: readonly string[], places: Set<number>): void {
    let folder = this.#root;
    for (const name of start) {
      for (const place of folder.here) places.add(place);
      const next = folder.below.get(name);
      if (next === undefined) return;
      folder = next;
    }
    collect(folder, places);
  }
}

function newFolder(): Folder {
  return { below: new Map(), here: [] };
}

function folderAt(root: Folder, path: readonly string[]): Folder {
  let folder = root;
  for (const name of path) {
    const next = folder.below.get(name) ?? newFolder();
    folder.below.set(name, next);
    folder = next;
  }
  return folder;
}

/** All that is there and below. */
function collect(folder: Folder, places: Set<number>): void {
  const open = [folder];
  for (const { here, below } of open) {
    for (const place of here) places.add(place);
    open.push(...below.values());
  }
}

type Locking = { readonly file_locks: readonly string[] };

/** The first lock of a task that may name a path which the other one locks too; null: they are apart. */
export function findSharedLock(task: Locking, other: Locking): string | null {
  const isShared = (lock: string): boolean =>
    other.file_locks.some((taken) => lock === taken || locksConflict(lock, taken));
  return task.file_locks.find(isShared) ?? null;
}

export interface TaskWithLocks {
  readonly id: string;
  readonly priority: number;
  readonly file_locks: readonly string[];
}

export interface DeferredTask<T> {
  readonly task: T;
  /** Why it waits, in a few words. */
  readonly because: string;
}

/**
 * Takes as many ready tasks as there are free agents, none sharing a file with another or with one that runs: by
 * priority, then by how long a chain of tasks waits for each (see computeChainLengths; alike by default), then by id. A
 * deferred task doesn't hold back those after it. One that asks for several agents takes as many places as are left.
 */
export function pickNonConflictingBatch<T extends TaskWithLocks>({
  ready,
  running,
  limit,
  chains = new Map(),
  taken: used = running.length,
  wanted = () => 1,
}: {
  readonly ready: readonly T[];
  readonly running: readonly TaskWithLocks[];
  readonly limit: number;
  readonly chains?: ReadonlyMap<string, number>;
  /** Places of those that run; one each by default. */
  readonly taken?: number;
  /** Number of agents a task asks for; one by default. */
  readonly wanted?: (task: T) => number;
}): { readonly selected: readonly T[]; readonly deferred: readonly DeferredTask<T>[] } {
  const selected: T[] = [];
  const deferred: DeferredTask<T>[] = [];
  const locked = new LockIndex<TaskWithLocks>(running);
  let free = limit - used;
  const waits = ({ id }: T): number => chains.get(id) ?? 0;
  const byUrgency = (a: T, b: T): number =>
    a.priority - b.priority || waits(b) - waits(a) || compareText(a.id, b.id);
  for (const task of [...ready].sort(byUrgency)) {
    const because =
      free <= 0 && wanted(task) > 0 ? `no agent is free (limit ${limit})` : describeShared(locked.find(task));
    if (because === null) {
      selected.push(task);
      locked.add(task);
      free -= wanted(task);
    } else deferred.push({ task, because });
  }
  return { selected, deferred };
}

function describeShared(shared: ReturnType<LockIndex<TaskWithLocks>['find']>): string | null {
  return shared === null ? null : `shares ${shared.lock} with ${shared.other.id}`;
}
