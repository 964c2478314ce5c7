import type { Session } from '../../domain/state/session.ts';

/** A next session with what was only left out of the one that was seen put back: no decision was made about that.
 * A next one in another wave or cycle does decide that it goes on: it is written so, and open again for all clones. */
export function restoreSaid(
  next: Session,
  { seen, said }: { readonly seen: Session; readonly said: Session },
): Session {
  if (seen === said) return next;
  const original = new Map(seen.changesets.map((changeset, at) => [changeset, said.changesets[at]]));
  const changesets = next.changesets.map((changeset) => original.get(changeset) ?? changeset);
  const isSameCourse = courseKeys.every((key) => next[key] === seen[key]);
  if (!isSameCourse) return { ...next, changesets };
  const { cycle, wave, state, replans, proposal } = said;
  return { ...next, changesets, cycle, wave, state, replans, proposal };
}

const courseKeys = [
  'cycle',
  'wave',
  'state',
  'replans',
  'proposal',
] as const satisfies readonly (keyof Session)[];
