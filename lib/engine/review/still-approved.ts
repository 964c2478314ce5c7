import type { Changeset } from '../../domain/state/changeset.ts';
import type { Task } from '../../domain/state/task.ts';
import { type SessionView, taskOf } from '../record.ts';

/** A changeset with its tasks, as they were when its landing began to be proven. */
export interface Proven {
  readonly changeset: Changeset;
  readonly tasks: readonly Task[];
}

/**
 * Whether a person's word still is about exactly this: the changeset is approved with that commit, and its tasks have the
 * work it was built of. While it is proven, another command may take the approval back or choose another attempt.
 */
export function isStillApproved(view: SessionView, { changeset, tasks }: Proven): boolean {
  const known = view.session.changesets.find(({ id }) => id === changeset.id);
  if (known?.state !== 'approved' || known.commit !== changeset.commit) return false;
  return tasks.every((task) => {
    const { status, commit } = taskOf(view, task.id);
    return status === task.status && commit === task.commit;
  });
}
