import { listChangesetsOfCycle } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { type ObjectId, parseRefName, type SessionId } from '../../domain/ids.ts';
import type { RemoteSession } from '../../domain/ports/sharing-port.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { isChangesetOpen } from '../../domain/state/changeset-facts.ts';
import { findLandingBranch, findPendingCheckout } from '../../domain/state/session-facts.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { requireMovableBranch } from '../base-in-use.ts';
import { decideAndRecord, viewSession } from '../record-changes.ts';
import { inform, type RunContext } from '../run-context.ts';

/**
 * Brings the base of a session that this machine leads to where it is at the remote, before anything is built on it.
 * Throws FlameErrors `base-behind`, `base-ahead` and `landing-not-there`.
 */
export async function alignBaseWithRemote(context: RunContext, id: SessionId): Promise<void> {
  const { remoteSession, landInTurn } = context;
  if (remoteSession?.role !== 'lead') return;
  await landInTurn(() => adoptLandingFromRemote(context, id));
  await requireLandingsAtRemote(context, remoteSession, id);
  await landInTurn(() => advanceBaseToRemote(context, remoteSession, id));
}

/**
 * Moves the branch a session lands on to its landing at the remote, where this clone doesn't know that: it was killed
 * before the answer came, or another machine led meanwhile. Only forward, and only where no work tree of the person
 * conflicts with it. syncWorktreesToLanding then updates the work trees. Throws FlameError `base-behind`, before any
 * change.
 */
export async function adoptLandingFromRemote(context: RunContext, id: SessionId): Promise<void> {
  const { remoteSession, git } = context;
  if (remoteSession?.role !== 'lead') return;
  const { session } = await viewSession(context, id);
  const { base_commit: to, changesets } = session;
  const branch = findLandingBranch(session);
  const tip = await git.resolveCommit(`refs/heads/${branch}`);
  if (tip === to || !changesets.some(({ landed_commit }) => landed_commit === to)) return;
  const theirs = await remoteSession.tipOf(branch);
  const holds = async (commit: ObjectId | null): Promise<boolean> =>
    commit !== null && (await git.isAncestor(to, commit));
  // The branch has it already, or it was taken back there.
  if ((await holds(tip)) || !(await holds(theirs))) return;
  const obstacle = await findObstacle(context, branch, { tip, to });
  if (obstacle !== null) {
    const { remote } = remoteSession;
    const there = `${branch} at ${remote} has what this session landed, ${shortId(to)}`;
    throw baseBehind(`${there}, but ${branch} here is behind: ${obstacle}`, branch, remote);
  }
  await decideAndRecord(context, id, ({ session: now }) => ({
    session: {
      next: {
        ...now,
        checkout: { from: findPendingCheckout(context, now)?.from ?? tip ?? to, to, place: context.place },
      },
      subject: `session: ${branch} moved to the landing at ${remoteSession.remote}`,
    },
    refs: [{ ref: parseRefName(`refs/heads/${branch}`), old: tip, new: to, isTaken: true }],
  }));
}

/**
 * Brings the branch that a session starts from to where it is at the remote, before work that others could not start
 * from, and that could not land there, is paid for. Only forward, and only where nothing stands against it;
 * syncWorktreesToLanding then does the work trees. Throws FlameErrors `base-behind` and `base-ahead`; nothing has
 * happened then.
 */
async function advanceBaseToRemote(context: RunContext, remoteSession: RemoteSession, id: SessionId): Promise<void> {
  const { git } = context;
  const { session } = await viewSession(context, id);
  if (session.state === 'ended') return;
  const branch = findLandingBranch(session);
  const [tip, to] = [await git.resolveCommit(`refs/heads/${branch}`), await remoteSession.tipOf(branch)];
  if (tip === null || to === null || tip === to) return;
  const { remote } = remoteSession;
  if (await git.isAncestor(to, tip)) throw notPushed(branch, remote);
  const obstacle = await findObstacle(context, branch, { tip, to });
  if (obstacle !== null) throw baseBehind(`${branch} here can't follow ${remote}: ${obstacle}`, branch, remote);
  await decideAndRecord(context, id, ({ session: now }) => {
    // Changesets built on the old one are built again by its review.
    const isBuilt = listChangesetsOfCycle(now).some(isChangesetOpen);
    const checkout = { from: findPendingCheckout(context, now)?.from ?? tip, to, place: context.place };
    return {
      session: {
        next: { ...now, checkout, ...(isBuilt ? {} : { base_commit: to }) },
        subject: `session: ${branch} moved to its tip at ${remote}`,
      },
      refs: [{ ref: parseRefName(`refs/heads/${branch}`), old: tip, new: to, isTaken: true }],
    };
  });
  inform(context, `${branch} was behind ${remote}. It is now at ${shortId(to)}, as there.`);
}

/** Why a branch can't go forward here now; null: it can. */
async function findObstacle(
  context: Pick<RunContext, 'git'>,
  branch: string,
  { tip, to }: { readonly tip: ObjectId | null; readonly to: ObjectId },
): Promise<string | null> {
  const { git } = context;
  if (tip === null) return null;
  if (!(await git.isAncestor(tip, to))) return 'it has diverged.';
  try {
    await requireMovableBranch(context, branch);
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    return 'another git is working on it, or its work tree was deleted.';
  }
  for (const { path, branch: name } of await git.worktrees()) {
    if (name !== branch) continue;
    if ((await git.changedTracked(path)).length > 0) return `${path} has local changes.`;
    if ((await git.filesInTheWay(path, tip, to)).length > 0) return `${path} has files that it would overwrite.`;
    if ((await git.advanceObstacles(path, tip, to)).length > 0) return `git refuses to change ${path}.`;
  }
  return null;
}

function baseBehind(message: string, branch: string, remote: string): FlameError {
  return new FlameError({
    kind: 'waiting',
    code: 'base-behind',
    message,
    hints: [`git pull --ff-only ${shellQuote(remote)} ${shellQuote(branch)}`, 'git flame run'],
  });
}

/** Other machines could not start from it. */
function notPushed(branch: string, remote: string): FlameError {
  return new FlameError({
    kind: 'waiting',
    code: 'base-ahead',
    message: `${branch} has commits here that are not at ${remote}, so no other machine could start from it.`,
    hints: [`git push ${shellQuote(remote)} ${shellQuote(branch)}`, 'git flame run'],
  });
}

/**
 * Requires that the branch at the remote has the landings of a shared session before that goes on. If the branch is
 * behind, either a server ended after it took the notes and before it moved the branch, and the machine that pushed
 * never completed that, or the branch was reset. Only the person knows which: nothing is pushed. Throws FlameError
 * `landing-not-there`.
 */
async function requireLandingsAtRemote(
  context: RunContext,
  remoteSession: RemoteSession,
  id: SessionId,
): Promise<void> {
  const { git } = context;
  const { session } = await viewSession(context, id);
  const landed = session.changesets.filter(isLanded);
  if (landed.length === 0 || session.state === 'ended') return;
  const branch = findLandingBranch(session);
  const tip = await remoteSession.tipOf(branch);
  // A branch of its own may be gone once its pull request is merged.
  if (tip === null && session.landing !== undefined) return;
  for (const { id: changeset, landed_commit: commit } of landed) {
    const isHere = (await git.resolveCommit(commit)) !== null;
    const isThere = tip !== null && isHere && (await git.isAncestor(commit, tip));
    // A branch that diverged was rewritten on purpose, with the landing or without.
    const isBefore = tip === null || !isHere || (await git.isAncestor(tip, commit));
    if (!isThere && isBefore) throw notThere({ branch, changeset, commit, tip, remote: remoteSession.remote, isHere });
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
    message: `${changeset} is recorded as landed at ${remote}, as ${shortId(commit)}, but ${branch} there ${where}: either its server stopped between the two updates, or the branch was reset. Nothing was pushed.`,
    hints: [
      isHere ? `To restore it there: ${push}` : `To restore it there, on the machine that landed it: ${push}`,
      `To give it up: git flame undo ${changeset} --requeue REASON`,
      'git flame run',
    ],
  });
}
