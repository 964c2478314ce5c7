import { listChangesetsOfCycle } from '../../core/schedule/next-action.ts';
import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { isChangesetOpen } from '../../domain/state/changeset-facts.ts';
import { findLandingBranch, findPendingCheckout } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { type RecordContext, requireTaskInView, viewSession } from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';
import { runLifecycleScript } from '../run-script.ts';
import { readBaseTip } from '../start-point.ts';
import { diagnoseCommit, filterFailedDiagnostics, markDiagnosticsFailingOnBase } from '../validate/run-diagnostics.ts';
import { adoptLandingFromRemote } from './adopt-remote-landing.ts';
import { commitLandingTransaction } from './landing-transaction.ts';
import { type ChangesetToProve, findUnlandedBelow, proveMayLand } from './prove-landing.ts';
import {
  noApprovalReason,
  refuseLandingOnMovedBase,
  refuseUnapprovedLanding,
  reopenRedChangeset,
  reportRefusedLanding,
  sendChangesetTasksBack,
  voidRefusedLanding,
} from './refuse-landing.ts';
import { makeLandingCommit, requireFreeLandingBranch, withLandingBranch } from './shape-landing.ts';
import {
  reportLandingInNoWorktree,
  requireCleanBase,
  requireNoFilesInTheWay,
  syncWorktreesOfOtherSessions,
  syncWorktreesToLanding,
} from './sync-worktrees.ts';

/**
 * Lands approved changesets in the order they were shown. Each landing is one ref transaction over the base
 * branch, the tasks, the review and the session: all of it happened or nothing did.
 */
export async function landApprovedChangesets(
  context: RunContext,
  id: SessionId,
): Promise<{ readonly landed: number; readonly refused: number }> {
  const { session } = await viewSession(context, id);
  const approved = listChangesetsOfCycle(session).filter(({ state }) => state === 'approved');
  if (approved.length === 0) return { landed: 0, refused: 0 };
  const destined = withLandingBranch(context, session);
  await requireFreeLandingBranch(context, session, destined);
  const landed = await context.landInTurn(() => landAll(context, destined, approved));
  if (landed > 0) await runLifecycleScript(context, 'post_merge', await landedFacts(context, id, approved));
  return { landed, refused: approved.length - landed };
}

/** Facts for `hooks.post_merge`: the approved changesets that landed, and as which commits, in their order. */
async function landedFacts(
  context: Pick<RunContext, 'config' | 'store'>,
  id: SessionId,
  approved: readonly Changeset[],
): Promise<Readonly<Record<string, unknown>>> {
  const { session } = await viewSession(context, id);
  const landed = session.changesets.filter(
    ({ id: one, landed_commit }) => landed_commit !== null && approved.some((known) => known.id === one),
  );
  return {
    session: id,
    landed: landed.map((changeset) => changeset.id),
    commits: landed.map((changeset) => changeset.landed_commit),
  };
}

async function landAll(context: RunContext, destined: Session, approved: readonly Changeset[]): Promise<number> {
  await adoptLandingFromRemote(context, destined.id);
  await syncWorktreesOfOtherSessions(context, destined);
  await requireCleanBase(context, destined);
  let landed = 0;
  try {
    for (const changeset of approved) if (await landOne(context, destined.id, changeset)) landed += 1;
  } finally {
    await syncWorktreesToLanding(context, destined.id);
    if (landed > 0) await reportLandingInNoWorktree(context, destined);
  }
  return landed;
}

type Fit = { readonly kind: 'fits'; readonly commit: ObjectId } | { readonly kind: 'misfit'; readonly notes: string };

async function landOne(context: RunContext, id: SessionId, changeset: Changeset): Promise<boolean> {
  const view = await viewSession(context, id);
  const tip = await readBaseTip(context, view.session);
  if (!(await mayLand(context, view.session, { changeset, tip }))) return false;
  if (tip !== view.session.base_commit) return refuseLandingOnMovedBase(context, view.session, changeset, tip);
  const tasks = changeset.tasks.map((task) => requireTaskInView(view, task));
  const proven = { changeset, tasks };
  const proof = await proveMayLand(context, view, changeset);
  if (proof.kind === 'strange')
    return voidRefusedLanding(context, view.session, changeset, 'it was built in another clone');
  if (proof.kind === 'broken') return sendChangesetTasksBack(context, id, proven, proof.notes);
  if (proof.kind === 'red') return reopenRedChangeset(context, id, proven, proof.diagnostics);
  const fit = await fitOnto(context, { session: id, changeset, tasks, tip });
  if (fit.kind === 'misfit') return sendChangesetTasksBack(context, id, proven, fit.notes);
  const destined = withLandingBranch(context, view.session);
  await requireNoFilesInTheWay(context, destined, {
    from: findPendingCheckout(context, view.session)?.from ?? tip,
    to: fit.commit,
  });
  const result = await commitLandingTransaction(context, id, { proven, tip, commit: fit.commit });
  if (result === 'undecided') return refuseUnapprovedLanding(context, id, changeset);
  if (result === 'moved')
    return refuseLandingOnMovedBase(context, view.session, changeset, await readBaseTip(context, view.session));
  context.events.emit({
    event: 'landed',
    changeset: changeset.id,
    commit: fit.commit,
    branch: findLandingBranch(destined),
  });
  return true;
}

/** Whether an approval still holds, and what the changeset was built on has landed. What came before may end both. */
async function mayLand(
  context: RecordContext & Pick<RunContext, 'git'>,
  session: Session,
  { changeset, tip }: { readonly changeset: Changeset; readonly tip: ObjectId },
): Promise<boolean> {
  const known = session.changesets.find(({ id, commit }) => id === changeset.id && commit === changeset.commit);
  if (known?.state !== 'approved') return reportRefusedLanding(context, changeset, known?.reason ?? noApprovalReason);
  const below = await findUnlandedBelow(context, session, { changeset, tip });
  if (below === null) return true;
  const why = `it was built on ${below.group}, which has not landed`;
  // Once that one is decided, this approval counts.
  if (isChangesetOpen(below)) return reportRefusedLanding(context, changeset, why);
  return voidRefusedLanding(context, session, changeset, why);
}

/** Fits an approved changeset onto the branch, in the shape it lands in; on top of later landings, if any. */
async function fitOnto(
  context: RunContext,
  { session, changeset, tasks, tip }: ChangesetToProve & { readonly session: SessionId; readonly tip: ObjectId },
): Promise<Fit> {
  const { tree: approved } = await context.git.readCommit(changeset.commit);
  const shape = (tree: ObjectId): Promise<ObjectId> =>
    makeLandingCommit(context, { session, changeset, tasks, tip, tree });
  if (changeset.parent === tip) return { kind: 'fits', commit: await shape(approved) };
  // The person saw the difference to its ground, also where that landed as another commit.
  const merge = (await context.git.isAncestor(changeset.parent, tip))
    ? await context.git.mergeTree(tip, changeset.commit)
    : await context.git.mergeDifferenceOnto(tip, changeset.parent, changeset.commit);
  if (merge.kind === 'conflict')
    return { kind: 'misfit', notes: `It conflicts with what has just landed, in ${merge.paths.join(', ')}` };
  const commit = await shape(merge.tree);
  // Exactly the files that were approved, on another parent.
  if (merge.tree === approved) return { kind: 'fits', commit };
  const about = { session, words: `changeset ${changeset.group}` };
  const red = filterFailedDiagnostics(await diagnoseCommit(context, commit, tip, about));
  // Red before and approved all the same: the person has seen it.
  if (red.length === 0 || filterFailedDiagnostics(changeset.diagnostics).length > 0) return { kind: 'fits', commit };
  const byThis = (await markDiagnosticsFailingOnBase(context, red, tip)).filter(
    ({ on_base: isBelow }) => isBelow !== true,
  );
  // Landings before it made it red, by the person's decision: this change adds nothing to that.
  if (byThis.length === 0) return { kind: 'fits', commit };
  return {
    kind: 'misfit',
    notes: `Its checks pass alone and fail together with what has just landed: ${byThis.map(({ command }) => command).join(', ')}`,
  };
}
