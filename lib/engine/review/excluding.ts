import { changesetsOfCycle } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Excluding } from '../../domain/ports/changeset-question.ts';
import type { GitTrials } from '../../domain/ports/git-commits.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session.ts';
import type { WithGit, Workshop } from '../workshop.ts';

/** A person waits for the answer, and each is a start of git. */
const mostTried = 40;

/**
 * The other changesets of this review that can't land together with one as they are now: those that wait or are
 * approved and conflict with it, found by merging without recording anything. What can't be tried is left out.
 */
export async function excludingOf(
  { git, signal }: WithGit<Pick<GitTrials, 'tryMerge'>> & Pick<Workshop, 'signal'>,
  session: Session,
  changeset: Changeset,
): Promise<readonly Excluding[]> {
  const others = changesetsOfCycle(session)
    .filter(({ id, state }) => id !== changeset.id && (state === 'waiting' || state === 'approved'))
    .slice(0, mostTried);
  const found: Excluding[] = [];
  for (const { group, state, commit } of others) {
    const paths = await conflictOf({ git, signal }, changeset, commit);
    if (paths.length > 0) found.push({ group, isApproved: state === 'approved', paths });
  }
  return found;
}

async function conflictOf(
  { git, signal }: Parameters<typeof excludingOf>[0],
  { commit: own }: Changeset,
  commit: Changeset['commit'],
): Promise<readonly string[]> {
  try {
    const trial = await git.tryMerge({ commit: own, quarantine: null }, { commit, quarantine: null }, signal);
    return trial.kind === 'conflict' ? trial.paths : [];
  } catch (error) {
    if (error instanceof FlameError && !signal.aborted) return [];
    throw error;
  }
}
