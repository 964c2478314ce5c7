import type { Changeset } from '../../domain/state/changeset.ts';
import type { Task } from '../../domain/state/task.ts';

interface SessionSummary {
  /** Changesets that landed. */
  readonly approved: number;
  /** Tasks, by what they are now. */
  readonly requeued: number;
  readonly blocked: number;
  /** Pending, claimed or done: something is still to happen to them. */
  readonly open: number;
  readonly failed: number;
  readonly merged: number;
}

/**
 * The state of a session at the end of a cycle. Pass the changesets of that cycle alone to count that
 * cycle's.
 */
export function sessionSummary(
  tasks: readonly Task[],
  changesets: readonly Pick<Changeset, 'state'>[],
): SessionSummary {
  const count = (...statuses: readonly Task['status'][]): number =>
    tasks.filter((task) => statuses.includes(task.status)).length;
  return {
    approved: changesets.filter(({ state }) => state === 'landed').length,
    requeued: count('requeued'),
    blocked: count('blocked'),
    open: count('pending', 'claimed', 'done'),
    failed: count('failed'),
    merged: count('merged'),
  };
}
