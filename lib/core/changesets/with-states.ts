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
  const changed = ({ approved_on: word, ...changeset }: Changeset): Changeset => ({
    ...changeset,
    // A machine's word is about one approval, and past with it.
    ...(word !== undefined && state === 'landed' ? { approved_on: word } : {}),
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

/** The session with what a person said of a changeset when they approved it, and nothing that was said of it before. */
export function withWords(
  session: Session,
  id: string,
  { remarks, message }: { readonly remarks: readonly LineComment[]; readonly message: string | undefined },
): Session {
  const words = {
    ...(remarks.length === 0 ? {} : { remarks: [...remarks] }),
    ...(message === undefined ? {} : { message }),
  };
  return {
    ...session,
    changesets: session.changesets.map((changeset) =>
      changeset.id === id ? { ...withoutWords(changeset), ...words } : changeset,
    ),
  };
}

function withoutWords({ remarks: _, message: __, ...changeset }: Changeset): Changeset {
  return changeset;
}
