import type { ObjectId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session.ts';

interface Built {
  readonly group: string;
  readonly works: readonly ObjectId[];
}

/**
 * The message a person gave a changeset when they approved it, for the one that is built again of the same work since
 * its base moved; null: there is none. `isOurs`: whether it was written here.
 */
export function keptMessage(
  { changesets }: Session,
  { group, works }: Built,
  isOurs: (changeset: Changeset) => boolean,
): string | null {
  const same = changesets.filter(
    (one) => one.group === group && one.state === 'void' && one.works?.join() === works.join(),
  );
  const before = same.at(-1);
  return before?.message !== undefined && isOurs(before) ? before.message : null;
}
