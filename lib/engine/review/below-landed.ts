import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session.ts';
import type { WithGit } from '../workshop.ts';

/**
 * The changeset that landing another one would bring along although it has not landed itself; null: there is none.
 * Whatever was decided, what a person was shown is the difference to that one.
 */
export async function unlandedBelow(
  { git }: WithGit<GitCommits>,
  { changesets }: Session,
  changeset: Changeset,
): Promise<Changeset | null> {
  const below = changesets.filter(
    ({ id, group, state }) =>
      id !== changeset.id && state !== 'landed' && changeset.depends_on.includes(group),
  );
  for (const one of below) if (await git.isAncestor(one.commit, changeset.commit)) return one;
  return null;
}
