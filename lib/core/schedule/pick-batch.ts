import { byText } from '../../util/by-text.ts';
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
 * Takes as many ready tasks as there are free agents, none sharing a file with another or with one that runs: by
 * priority, then by how long a chain of tasks waits for each (see longestChains; alike by default), then by id. A
 * deferred task doesn't hold back those after it.
 */
export function pickBatch<T extends Lockable>({
  ready,
  running,
  limit,
  chains = new Map(),
}: {
  readonly ready: readonly T[];
  readonly running: readonly Lockable[];
  readonly limit: number;
  readonly chains?: ReadonlyMap<string, number>;
}): { readonly selected: readonly T[]; readonly deferred: readonly Deferral<T>[] } {
  const selected: T[] = [];
  const deferred: Deferral<T>[] = [];
  const waits = ({ id }: T): number => chains.get(id) ?? 0;
  const byUrgency = (a: T, b: T): number =>
    a.priority - b.priority || waits(b) - waits(a) || byText(a.id, b.id);
  for (const task of [...ready].sort(byUrgency)) {
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
