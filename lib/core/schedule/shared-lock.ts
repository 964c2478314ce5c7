import { locksConflict } from '../../util/path-globs.ts';

export type Locking = { readonly file_locks: readonly string[] };

/** The first lock of a task that may name a path which the other one locks too; null: they are apart. */
export function sharedLock(task: Locking, other: Locking): string | null {
  const isShared = (lock: string): boolean =>
    other.file_locks.some((taken) => lock === taken || locksConflict(lock, taken));
  return task.file_locks.find(isShared) ?? null;
}
