import { changesetsOfCycle } from '../../core/schedule/next-action.ts';
import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session.ts';
import { landsOn, ownCheckout } from '../../domain/state/session-facts.ts';
import type { Task } from '../../domain/state/task.ts';
import { type Recorder, taskOf, viewSession } from '../record.ts';
import type { Workshop } from '../run-context.ts';
import { runScript } from '../run-script.ts';
import { baseTip } from '../start-point.ts';
import { besideBase, diagnoseCommit, failedDiagnostics } from '../validate/run-diagnostics.ts';
import { adoptLanded } from './adopt-landed.ts';
import { proveLanding, unlandedBelow } from './prove-landing.ts';
import { publishLanding } from './publish-landing.ts';
import {
  askAgain,
  noApproval,
  refuseLanding,
  refuseMoved,
  refuseUndecided,
  sendBack,
  tellRefused,
} from './refuse-landing.ts';
import { destinedFor, requireFreeName, shapeLanding } from './shape-landing.ts';
import { bringAlong, bringOthersAlong, requireCleanBase, requireFreePaths } from './sync-worktrees.ts';

/**
 * Lands approved changesets in the order they were shown. Each landing is one ref transaction over the base
 * branch, the tasks, the review and the session: all of it happened or nothing did.
 */
export async function landApproved(
  workshop: Workshop,
  id: SessionId,
): Promise<{ readonly landed: number; readonly refused: number }> {
  const { session } = await viewSession(workshop, id);
  const approved = changesetsOfCycle(session).filter(({ state }) => state === 'approved');
  if (approved.length === 0) return { landed: 0, refused: 0 };
  const destined = destinedFor(workshop, session);
  await requireFreeName(workshop, session, destined);
  const landed = await workshop.landInTurn(() => landAll(workshop, destined, approved));
  if (landed > 0) await runScript(workshop, 'post_merge', await landedFacts(workshop, id, approved));
  return { landed, refused: approved.length - landed };
}

/** Facts for `hooks.post_merge`: the approved changesets that landed, and as which commits, in their order. */
async function landedFacts(
  workshop: Pick<Workshop, 'config' | 'store'>,
  id: SessionId,
  approved: readonly Changeset[],
): Promise<Readonly<Record<string, unknown>>> {
  const { session } = await viewSession(workshop, id);
  const landed = session.changesets.filter(
    ({ id: one, landed_commit }) => landed_commit !== null && approved.some((known) => known.id === one),
  );
  return {
    session: id,
    landed: landed.map((changeset) => changeset.id),
    commits: landed.map((changeset) => changeset.landed_commit),
  };
}

async function landAll(
  workshop: Workshop,
  destined: Session,
  approved: readonly Changeset[],
): Promise<number> {
  await adoptLanded(workshop, destined.id);
  await bringOthersAlong(workshop, destined);
  await requireCleanBase(workshop, destined);
  let landed = 0;
  try {
    for (const changeset of approved) if (await landOne(workshop, destined.id, changeset)) landed += 1;
  } finally {
    await bringAlong(workshop, destined.id);
  }
  return landed;
}

type Fit =
  | { readonly kind: 'fits'; readonly commit: ObjectId }
  | { readonly kind: 'misfit'; readonly notes: string };

async function landOne(workshop: Workshop, id: SessionId, changeset: Changeset): Promise<boolean> {
  const view = await viewSession(workshop, id);
  const tip = await baseTip(workshop, view.session);
  if (!(await mayLand(workshop, view.session, { changeset, tip }))) return false;
  if (tip !== view.session.base_commit) return refuseMoved(workshop, view.session, changeset, tip);
  const tasks = changeset.tasks.map((task) => taskOf(view, task));
  const proven = { changeset, tasks };
  const proof = await proveLanding(workshop, view, changeset);
  if (proof.kind === 'strange')
    return refuseLanding(workshop, view.session, changeset, 'it was built in another clone');
  if (proof.kind === 'broken') return sendBack(workshop, id, proven, proof.notes);
  if (proof.kind === 'red') return askAgain(workshop, id, proven, proof.diagnostics);
  const fit = await fitOnto(workshop, { session: id, changeset, tasks, tip });
  if (fit.kind === 'misfit') return sendBack(workshop, id, proven, fit.notes);
  const destined = destinedFor(workshop, view.session);
  await requireFreePaths(workshop, destined, {
    from: ownCheckout(workshop, view.session)?.from ?? tip,
    to: fit.commit,
  });
  const result = await publishLanding(workshop, id, { proven, tip, commit: fit.commit });
  if (result === 'undecided') return refuseUndecided(workshop, id, changeset);
  if (result === 'moved')
    return refuseMoved(workshop, view.session, changeset, await baseTip(workshop, view.session));
  workshop.events.emit({
    event: 'landed',
    changeset: changeset.id,
    commit: fit.commit,
    branch: landsOn(destined),
  });
  return true;
}

/** Whether an approval still holds, and what the changeset was built on has landed. What came before may end both. */
async function mayLand(
  workshop: Recorder & Pick<Workshop, 'git'>,
  session: Session,
  { changeset, tip }: { readonly changeset: Changeset; readonly tip: ObjectId },
): Promise<boolean> {
  const known = session.changesets.find(
    ({ id, commit }) => id === changeset.id && commit === changeset.commit,
  );
  if (known?.state !== 'approved') return tellRefused(workshop, changeset, known?.reason ?? noApproval);
  const below = await unlandedBelow(workshop, session, { changeset, tip });
  if (below === null) return true;
  const why = `it was built on ${below.group}, which has not landed`;
  // Once that one is decided, this approval counts.
  if (below.state === 'waiting' || below.state === 'approved') return tellRefused(workshop, changeset, why);
  return refuseLanding(workshop, session, changeset, why);
}

/** Fits an approved changeset onto the branch, in the shape it lands in; on top of later landings, if any. */
async function fitOnto(
  workshop: Workshop,
  {
    session,
    changeset,
    tasks,
    tip,
  }: {
    readonly session: SessionId;
    readonly changeset: Changeset;
    readonly tasks: readonly Task[];
    readonly tip: ObjectId;
  },
): Promise<Fit> {
  const { tree: approved } = await workshop.git.readCommit(changeset.commit);
  const shape = (tree: ObjectId): Promise<ObjectId> =>
    shapeLanding(workshop, { session, changeset, tasks, tip, tree });
  if (changeset.parent === tip) return { kind: 'fits', commit: await shape(approved) };
  // The person saw the difference to its ground, also where that landed as another commit.
  const merge = (await workshop.git.isAncestor(changeset.parent, tip))
    ? await workshop.git.mergeTree(tip, changeset.commit)
    : await workshop.git.replay(tip, changeset.parent, changeset.commit);
  if (merge.kind === 'conflict')
    return { kind: 'misfit', notes: `It conflicts with what has just landed, in ${merge.paths.join(', ')}` };
  const commit = await shape(merge.tree);
  // Exactly the files that were approved, on another parent.
  if (merge.tree === approved) return { kind: 'fits', commit };
  const about = { session, words: `changeset ${changeset.group}` };
  const red = failedDiagnostics(await diagnoseCommit(workshop, commit, tip, about));
  // Red before and approved all the same: the person has seen it.
  if (red.length === 0 || failedDiagnostics(changeset.diagnostics).length > 0)
    return { kind: 'fits', commit };
  const byThis = (await besideBase(workshop, red, tip)).filter(({ on_base: isBelow }) => isBelow !== true);
  // Landings before it made it red, by the person's decision: this change adds nothing to that.
  if (byThis.length === 0) return { kind: 'fits', commit };
  return {
    kind: 'misfit',
    notes: `Green alone, red together with what has just landed: ${byThis.map(({ command }) => command).join(', ')}`,
  };
}
