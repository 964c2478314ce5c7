import { byPriority } from '../task/by-priority.ts';
import { sharedLock } from './shared-lock.ts';

export interface Lockable {
  readonly id: string;
  readonly priority: number;
  readonly file_locks: readonly string[];
}

export interface Deferral<T> {
  readonly task: T;
  /** Why it waits, in a few words. */
  readonly because: string;
}

/**
 * Takes as many ready tasks as there are free agents, by priority, then id, none sharing a file with another
 * or with one that runs. A deferred task doesn't hold back those after it.
 */
export function pickBatch<T extends Lockable>({
  ready,
  running,
  limit,
}: {
  readonly ready: readonly T[];
  readonly running: readonly Lockable[];
  readonly limit: number;
}): { readonly selected: readonly T[]; readonly deferred: readonly Deferral<T>[] } {
  const selected: T[] = [];
  const deferred: Deferral<T>[] = [];
  for (const task of [...ready].sort(byPriority)) {
    const because =
      running.length + selected.length >= limit
        ? `no agent is free (limit ${limit})`
        : findSharedLock(task, [...running, ...selected]);
    if (because === null) selected.push(task);
    else deferred.push({ task, because });
  }
  return { selected, deferred };
}

function findSharedLock(task: Lockable, others: readonly Lockable[]): string | null {
  for (const other of others) {
    const shared = sharedLock(task, other);
    if (shared !== null) return `shares ${shared} with ${other.id}`;
  }
  return null;
}
