import type { Changeset } from '../../domain/state/changeset.ts';

/**
 * The versions of a changeset that a person saw before it: for each of its tasks the latest changeset it was in that
 * was decided but not landed. Each once, oldest first.
 */
export function seenBefore(
  changesets: readonly Changeset[],
  { id, tasks }: Pick<Changeset, 'id' | 'tasks'>,
): readonly Changeset[] {
  const at = changesets.findIndex((changeset) => changeset.id === id);
  const earlier = changesets.slice(0, at === -1 ? changesets.length : at).filter(wasSeen);
  const latest = tasks.map((task) => earlier.findLast((changeset) => changeset.tasks.includes(task)));
  return earlier.filter((changeset) => latest.includes(changeset));
}

/** One that conflicted was seen where it had been approved before; one that was built again has that one's place. */
function wasSeen({ state, decided_by: by }: Changeset): boolean {
  return state === 'rejected' || state === 'skipped' || (state === 'conflict' && by !== null);
}
