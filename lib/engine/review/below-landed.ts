import { builtDecision } from '../../core/admission/decisions.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session.ts';
import type { WithGit, Workshop } from '../workshop.ts';

type Below = Pick<Changeset, 'group' | 'state'>;

/**
 * Finds a changeset that landing another onto `tip` would bring along although it has not landed; null: none. Decisions
 * about it don't matter: the person was shown the difference to it. One that it was built on, and that its session
 * doesn't list as this clone built it, has not landed either, unless the branch holds it.
 */
export async function unlandedBelow(
  { git, decided }: Pick<Workshop, 'decided'> & WithGit<GitCommits>,
  session: Session,
  { changeset, tip }: { readonly changeset: Changeset; readonly tip: ObjectId },
): Promise<Below | null> {
  for (const group of changeset.depends_on) {
    const named = session.changesets.filter((one) => one.id !== changeset.id && one.group === group);
    const below: Changeset[] = [];
    for (const one of named) if (await git.isAncestor(one.commit, changeset.commit)) below.push(one);
    const landed = new Set(below.filter(({ state }) => state === 'landed').map(({ commit }) => commit));
    // One that was skipped may have been built again as the same commit.
    const waiting = below.find(({ commit }) => !landed.has(commit));
    if (waiting !== undefined) return waiting;
    if (below.some((one) => decided.has(builtDecision(session, one)))) continue;
    if (!(await git.isAncestor(changeset.parent, tip))) return { group, state: 'void' };
  }
  return null;
}
