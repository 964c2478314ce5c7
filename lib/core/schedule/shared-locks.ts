import { listLiteralStartsOfLock, locksConflict } from '../../util/path-globs.ts';

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
