import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { isSame, type Merged } from './merge-values.ts';

/*
 * The archive never replaces other content: a session is archived only with all that is known of it here, and as it was
 * here. Progress that other clones made with it before is not compared.
 */

/** Whether the archive's session is the one that is here. */
export function isSameSession(here: Session, archived: Session): boolean {
  const identity = ({ objective, base_branch, created_at, created_by }: Session): unknown => [
    objective,
    base_branch,
    created_at,
    created_by,
  ];
  return isSame(identity(here), identity(archived));
}

/** Whether the archive's task asks what the one here does; its title and what became of it may be newer on either side. */
export function isSameTask(here: Task, archived: Task): boolean {
  const asked = ({ description, file_locks: locks }: Task): unknown => [description, locks];
  return isSame(asked(here), asked(archived));
}

/** Keeps an archived session as it was where one clone alone changed it. */
export function admitArchivedSession(before: Session, after: Session): Merged<Session> {
  return admitSame(before, after, isSameSession(before, after));
}

/** Keeps a task of an archived session as it was. */
export function admitArchivedTask(before: Task, after: Task): Merged<Task> {
  return admitSame(before, after, isSameTask(before, after));
}

function admitSame<T extends { readonly rev: number }>(before: T, after: T, isSameThing: boolean): Merged<T> {
  if (isSameThing) return { value: after, lost: [] };
  return {
    value: before,
    lost: [{ what: 'archived', kept: `revision ${before.rev}`, lost: `revision ${after.rev}` }],
  };
}
