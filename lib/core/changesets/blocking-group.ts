import type { Changeset } from '../../domain/state/changeset.ts';

/**
 * What keeps a changeset from being approved: the first it depends on that is neither approved nor landed, one that
 * was decided before one that still waits. One that was rejected in part is not what it was built on. null: nothing.
 */
export function blockingGroup<T extends Pick<Changeset, 'group' | 'state' | 'rejected_tasks'>>(
  changesets: readonly T[],
  { depends_on: needed }: Pick<Changeset, 'depends_on'>,
): T | null {
  const inTheWay = changesets.filter(
    ({ group, state, rejected_tasks: part }) =>
      needed.includes(group) && state !== 'approved' && state !== 'landed' && part === undefined,
  );
  return inTheWay.find(({ state }) => state !== 'waiting') ?? inTheWay[0] ?? null;
}
