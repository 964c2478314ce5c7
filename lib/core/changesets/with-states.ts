import type { Changeset } from '../../domain/state/changeset.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import type { Session } from '../../domain/state/session.ts';

/** A session whose named changesets are in another state. */
export function withStates(
  session: Session,
  ids: readonly string[],
  state: Changeset['state'],
  reason: string | null,
  by?: string,
): Session {
  const changed = (changeset: Changeset): Changeset => ({
    ...changeset,
    state,
    reason,
    decided_by: by ?? changeset.decided_by,
  });
  return {
    ...session,
    changesets: session.changesets.map((changeset) =>
      ids.includes(changeset.id) ? changed(changeset) : changeset,
    ),
  };
}

/** The session with what was remarked on lines of a changeset when it was approved. */
export function withRemarks(session: Session, id: string, remarks: readonly LineComment[]): Session {
  if (remarks.length === 0) return session;
  return {
    ...session,
    changesets: session.changesets.map((changeset) =>
      changeset.id === id ? { ...changeset, remarks: [...remarks] } : changeset,
    ),
  };
}
