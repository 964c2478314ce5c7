import type { Session } from '../../domain/state/session.ts';

/** A session as it is stored, without unverified completions, and without proposals too. */
export interface Filtering {
  readonly raw: Session;
  readonly verified: Session;
  /** The verified one with changesets of withdrawn work void. */
  readonly stored: Session;
  readonly admitted: Session;
}

/** Re-adds to a next session what was filtered out of the one it was made of: nothing was decided about that. */
export function restoreFiltered(next: Session, { raw, verified, stored, admitted }: Filtering): Session {
  return withUnverified(withProposals(next, admitted, stored), verified, raw);
}

function withProposals(next: Session, seen: Session, stored: Session): Session {
  const isPlannedAlike = next.replan_notes === seen.replan_notes && next.sent_back === seen.sent_back;
  const { landing, sent_back, ...rest } = next;
  const lands = landing === seen.landing ? stored.landing : landing;
  const back = isPlannedAlike ? stored.sent_back : sent_back;
  return {
    ...rest,
    ...(lands === undefined ? {} : { landing: lands }),
    ...(back === undefined ? {} : { sent_back: back }),
    replan_notes: isPlannedAlike ? stored.replan_notes : next.replan_notes,
    ...unlessChanged(['wave', 'raised_limit', 'checkout', 'pauses'], { next, seen, before: stored }),
    changesets: withOriginals(next, seen, stored),
  };
}

/** A next session in another wave or cycle decides that it goes on: it is open again for all clones. */
function withUnverified(next: Session, seen: Session, raw: Session): Session {
  if (seen === raw) return next;
  const changesets = withOriginals(next, seen, raw);
  const keys = ['cycle', 'wave', 'state', 'replans', 'proposal'] as const;
  const isSame = keys.every((key) => next[key] === seen[key]);
  return { ...next, changesets, ...(isSame ? unlessChanged(keys, { next, seen, before: raw }) : {}) };
}

function unlessChanged<Key extends keyof Session>(
  keys: readonly Key[],
  { next, seen, before }: Readonly<Record<'next' | 'seen' | 'before', Session>>,
): Partial<Session> {
  return Object.fromEntries(keys.map((key) => [key, (next[key] === seen[key] ? before : next)[key]]));
}

function withOriginals(next: Session, seen: Session, before: Session): Session['changesets'] {
  const original = new Map(seen.changesets.map((changeset, at) => [changeset, before.changesets[at]]));
  return next.changesets.map((changeset) => original.get(changeset) ?? changeset);
}
