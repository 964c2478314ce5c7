import { type LandedChangeset, withChangesetState } from '../../core/changesets/changeset-decision.ts';
import type { LandingUndoOptions } from '../../core/task/take-back-task.ts';
import { branchMovedError } from '../../domain/concurrency-errors.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import { type ObjectId, parseRefName, type SessionId } from '../../domain/ids.ts';
import { nothingToKeepError } from '../../domain/input-errors.ts';
import type { RefUpdate } from '../../domain/ports/git-port.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { isChangesetOpen } from '../../domain/state/changeset-facts.ts';
import { findLandingBranch, findPendingCheckout } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { isNonBlank } from '../../util/error-text.ts';
import { shortId } from '../../util/short-names.ts';
import { changesetRef } from '../merge/merge-wave.ts';
import { type ChangesToRecord, decideAndRecord, viewSession } from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';
import {
  computeLandingUndo,
  findWorkStartedOnLanding,
  type LandingToUndo,
  planLandingUndo,
} from './plan-landing-undo.ts';
import { missingReasonError } from './record-changeset-decision.ts';
import { findCommitBeforeLanding, makeRevertTask } from './revert-landing.ts';
import {
  requireCleanBase,
  requireNoFilesInTheWay,
  syncWorktreesOfOtherSessions,
  syncWorktreesToLanding,
} from './sync-worktrees.ts';

export interface LandingUndoRequest extends LandingUndoOptions {
  /** Its id or group; null: what landed last. */
  readonly changeset: string | null;
}

export type LandingUndoResult = {
  readonly changeset: string;
  readonly commit: ObjectId;
  readonly branch: string;
} & (
  | { readonly how: 'moved-back'; readonly to: ObjectId }
  /** The branch had lost it already. */
  | { readonly how: 'was-gone' }
  /** It takes a commit of its own, which waits to be reviewed. */
  | { readonly how: 'revert'; readonly task: Task; readonly why: string }
);

/**
 * Takes the landing of a changeset back, with its tasks and its review. Nothing is lost: what had landed stays on
 * `refs/blueflame/changesets` and in the tasks' history. Throws FlameErrors `no-changeset`, `needs-reason`,
 * `taken-back-already`, `revert-taken-back`, `behind-landing`, `undo-conflict`, `nothing-to-undo`, and as a landing does where a work tree is in the way.
 */
export async function takeBackLanding(
  context: RunContext,
  id: SessionId,
  wish: LandingUndoRequest,
): Promise<LandingUndoResult> {
  if (!isNonBlank(wish.notes))
    throw missingReasonError('To take a landing back, give a reason.', [`git flame undo --${wish.follow} REASON`]);
  return context.landInTurn(async () => {
    const { session, changeset, way } = await planLandingUndo(context, id, wish.changeset);
    const about = {
      changeset: changeset.id,
      commit: changeset.landed_commit,
      branch: findLandingBranch(session),
    };
    switch (way.how) {
      case 'revert':
        if (wish.keep) throw keepsNothing(changeset, way.why);
        return { ...about, ...way, task: await makeRevertTask(context, id, { changeset, wish }) };
      case 'was-gone':
        await recordUndone(context, id, { changeset, wish, move: null });
        return { ...about, ...way };
      case 'moved-back':
        return { ...about, ...way, to: await moveBack(context, session, { changeset, wish }) };
    }
  });
}

async function moveBack(context: RunContext, session: Session, undoing: LandingToUndo): Promise<ObjectId> {
  const { landed_commit: from } = undoing.changeset;
  const to = await findCommitBeforeLanding(context.git, undoing.changeset);
  await syncWorktreesOfOtherSessions(context, session);
  const { id } = undoing.changeset;
  const again = `git flame undo ${id} --${undoing.wish.follow} REASON`;
  const doing = { done: 'taken back', again };
  await requireCleanBase(context, session, doing);
  const move = { from: findPendingCheckout(context, session)?.from ?? from, to };
  await requireNoFilesInTheWay(context, session, { ...move, doing });
  const isMoved = await recordUndone(context, session.id, { ...undoing, move: { from, to } });
  if (!isMoved) throw branchMovedError(findLandingBranch(session), `while ${id} was being taken back`, [again]);
  await syncWorktreesToLanding(context, session.id);
  return to;
}

/** One transaction over the branch, the tasks, the review and the session. false: the branch was elsewhere. */
async function recordUndone(
  context: Pick<
    RunContext,
    'config' | 'events' | 'gates' | 'git' | 'now' | 'decided' | 'place' | 'remoteSession' | 'store'
  >,
  id: SessionId,
  {
    changeset,
    wish,
    move,
  }: LandingToUndo & { readonly move: { readonly from: ObjectId; readonly to: ObjectId } | null },
): Promise<boolean> {
  const keptRef = changesetRef(id, changeset.id);
  const kept = await context.git.resolveCommit(keptRef);
  const above = await findWorkStartedOnLanding(context, await viewSession(context, id), changeset);
  const result = await decideAndRecord(context, id, (view): ChangesToRecord => {
    const { session } = view;
    const undone = computeLandingUndo(context, view, { changeset, wish, above });
    const checkout = findPendingCheckout(context, session);
    const moved =
      move === null
        ? {}
        : {
            base_commit: move.to,
            checkout: { from: checkout?.from ?? move.from, to: move.to, place: context.place },
          };
    const branch = parseRefName(`refs/heads/${findLandingBranch(session)}`);
    const refs: readonly RefUpdate[] = [
      ...(move === null ? [] : [{ ref: branch, old: move.from, new: move.to }]),
      ...(kept === changeset.landed_commit ? [] : [{ ref: keptRef, old: kept, new: changeset.landed_commit }]),
    ];
    const next = voidAbove(undone.session, changeset.landed_commit);
    return {
      reviews: undone.reviews,
      steps: undone.steps,
      session: {
        next: { ...next, ...moved },
        subject: `changeset ${changeset.id}: its landing was taken back`,
      },
      refs,
      body: wish.notes,
    };
  });
  return result.kind === 'done';
}

/** Voids changesets built on a commit that is gone, which they would bring back: they are built again. */
function voidAbove(session: Session, gone: ObjectId): Session {
  const lost = new Set([gone]);
  const above: Changeset[] = [];
  // A changeset stands after what it was built on.
  for (const one of session.changesets) {
    if (one.state === 'landed' || (!lost.has(one.base) && !lost.has(one.parent))) continue;
    lost.add(one.commit);
    if (isChangesetOpen(one)) above.push(one);
  }
  const why = `it was built on ${shortId(gone)}, whose landing was taken back`;
  return withChangesetState(
    session,
    above.map(({ id }) => id),
    'void',
    why,
  );
}

/** git takes commits that were reverted for merged: work that starts from them would not come back. */
function keepsNothing({ id }: LandedChangeset, why: string): FlameError {
  return nothingToKeepError(
    `${id} is taken back with a revert, because ${why}. The next attempts can't start from reverted work.`,
    ['git flame undo --requeue REASON'],
  );
}
