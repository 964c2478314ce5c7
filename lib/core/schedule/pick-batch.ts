import { compareText } from '../../util/sort-and-group.ts';
import { LockIndex } from './shared-locks.ts';

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
  const byUrgency = (a: T, b: T): number => a.priority - b.priority || waits(b) - waits(a) || compareText(a.id, b.id);
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
