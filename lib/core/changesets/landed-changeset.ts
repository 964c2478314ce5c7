import type { ObjectId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session.ts';

/** One that has landed, and as which commit. */
export type LandedChangeset = Changeset & { readonly landed_commit: ObjectId };

function hasLanded(changeset: Changeset): changeset is LandedChangeset {
  return changeset.state === 'landed' && changeset.landed_commit !== null;
}

/** The landed changeset of this id or group, the latest of the group; without a name the one that landed last. undefined: none. */
export function landedChangeset(
  { base_commit, changesets }: Pick<Session, 'base_commit' | 'changesets'>,
  name: string | null,
): LandedChangeset | undefined {
  const landed = changesets.filter(hasLanded);
  if (name !== null)
    return landed.find(({ id }) => id === name) ?? landed.findLast(({ group }) => group === name);
  // Those of one cycle landed in the order of what they need, which is not that of the list.
  return landed.find(({ landed_commit: commit }) => commit === base_commit) ?? landed.at(-1);
}

/** The session after a landing was taken back: that changeset is rejected, and one built on it is built again. */
export function withUndone(
  session: Session,
  { id, landed_commit: commit }: LandedChangeset,
  { by, at, reason }: { readonly by: string; readonly at: string; readonly reason: string },
): Session {
  const changesets = session.changesets.map((one): Changeset => {
    if (one.id !== id) return one;
    const undone = { commit, by, at };
    const { landed_onto: _, ...rest } = one;
    return { ...rest, state: 'rejected', reason, decided_by: by, landed_commit: null, undone };
  });
  return { ...session, changesets };
}
