import type { Changeset } from '../../domain/state/changeset.ts';
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
