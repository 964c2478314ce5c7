import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { landsOn } from '../../domain/state/session-facts.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { viewSession } from '../record.ts';
import type { Workshop } from '../workshop.ts';

/**
 * Requires that the branch at the remote has the landings of a shared session before that goes on. If the branch is
 * behind, either a server ended after it took the notes and before it moved the branch, and the machine that pushed
 * never completed that, or the branch was reset. Only the person knows which: nothing is pushed. Throws FlameError
 * `landing-not-there`.
 */
export async function requireLanded(workshop: Workshop, id: SessionId): Promise<void> {
  const { sharing, git } = workshop;
  if (sharing?.role !== 'lead') return;
  const { session } = await viewSession(workshop, id);
  const landed = session.changesets.filter(isLanded);
  if (landed.length === 0 || session.state === 'ended') return;
  const branch = landsOn(session);
  const tip = await sharing.tipOf(branch);
  // A branch of its own may be gone once its pull request is merged.
  if (tip === null && session.landing !== undefined) return;
  for (const { id: changeset, landed_commit: commit } of landed) {
    const isHere = (await git.resolveCommit(commit)) !== null;
    const isThere = tip !== null && isHere && (await git.isAncestor(commit, tip));
    // A branch that diverged was rewritten on purpose, with the landing or without.
    const isBefore = tip === null || !isHere || (await git.isAncestor(tip, commit));
    if (!isThere && isBefore)
      throw notThere({ branch, changeset, commit, tip, remote: sharing.remote, isHere });
  }
}

function isLanded(changeset: Changeset): changeset is Changeset & { readonly landed_commit: ObjectId } {
  return changeset.landed_commit !== null && changeset.undone === undefined;
}

function notThere({
  branch,
  changeset,
  commit,
  tip,
  remote,
  isHere,
}: {
  readonly branch: string;
  readonly changeset: string;
  readonly commit: ObjectId;
  readonly tip: ObjectId | null;
  readonly remote: string;
  readonly isHere: boolean;
}): FlameError {
  const where = tip === null ? 'does not exist' : `is at ${shortId(tip)}, before it`;
  const push = `git push ${shellQuote(remote)} ${commit}:${shellQuote(`refs/heads/${branch}`)}`;
  return new FlameError({
    kind: 'waiting',
    code: 'landing-not-there',
    message: `${changeset} is recorded as landed at ${remote}, as ${shortId(commit)}, but ${branch} there ${where}: its server ended between the two, or somebody reset the branch. Nothing was pushed.`,
    hints: [
      isHere ? `To have it there: ${push}` : `To have it there, on the machine that landed it: ${push}`,
      `To give it up: git flame undo ${changeset} --requeue REASON`,
      'git flame run',
    ],
  });
}
