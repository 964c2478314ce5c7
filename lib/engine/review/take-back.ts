import { type LandedChangeset, landedChangeset } from '../../core/changesets/landed-changeset.ts';
import { withStates } from '../../core/changesets/with-states.ts';
import { landedDecision } from '../../core/decisions/decisions.ts';
import type { AfterUndo } from '../../core/task/take-back.ts';
import { nothingToKeep } from '../../domain/bad-usage.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId, SessionId } from '../../domain/ids.ts';
import { parseRefName } from '../../domain/ids.ts';
import { branchMoved } from '../../domain/meanwhile.ts';
import { noChangeset } from '../../domain/not-found.ts';
import type { RefUpdate } from '../../domain/ports/git-port.ts';
import { landsOn, type Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { saysSomething } from '../../util/says-something.ts';
import { shortId } from '../../util/short-id.ts';
import { changesetRef } from '../merge/merge-wave.ts';
import { type Recording, record, type SessionView, taskOf, viewSession } from '../record.ts';
import { baseTip } from '../start-point.ts';
import type { Workshop } from '../workshop.ts';
import {
  bringAlong,
  bringOthersAlong,
  ownCheckout,
  requireCleanBase,
  requireFreePaths,
} from './bring-along.ts';
import { withoutReason } from './record-decision.ts';
import { revertLanding } from './revert-landing.ts';
import { undoneLanding } from './undone-landing.ts';

export interface UndoWish extends AfterUndo {
  /** Its id or group; null: what landed last. */
  readonly changeset: string | null;
}

export type Undone = { readonly changeset: string; readonly commit: ObjectId; readonly branch: string } & (
  | { readonly how: 'moved-back'; readonly to: ObjectId }
  /** The branch had lost it already. */
  | { readonly how: 'was-gone' }
  /** It takes a commit of its own, which waits to be reviewed. */
  | { readonly how: 'revert'; readonly task: Task; readonly why: string }
);

/**
 * How a landing would be taken back, without doing it: the branch moves back where it still is as the landing left it and
 * nothing shows that it was published; else a revert goes the way of any work.
 */
export async function planUndo(
  workshop: Pick<Workshop, 'config' | 'git' | 'origins' | 'sharing' | 'store'>,
  id: SessionId,
  name: string | null,
): Promise<{ readonly changeset: LandedChangeset; readonly why: string | null; readonly isGone: boolean }> {
  const view = await viewSession(workshop, id);
  const changeset = landedChangeset(view.session, name);
  if (changeset === undefined) throw nothingLanded(view.session, name);
  const again = view.tasks.find(
    ({ takes_back: back, status }) =>
      back?.changeset === changeset.id && status !== 'dropped' && status !== 'merged',
  );
  if (again !== undefined) throw takenBackAlready(changeset, again);
  if (changeset.tasks.some((task) => taskOf(view, task).takes_back !== undefined)) throw isRevert(changeset);
  const tip = await baseTip(workshop, view.session);
  const { landed_commit: commit } = changeset;
  const isGone = commit !== tip && !(await workshop.git.isAncestor(commit, tip));
  if (isGone) await requireGone(workshop, view.session, { changeset, tip });
  return { changeset, isGone, why: isGone ? null : await whyRevert(workshop, view.session, { commit, tip }) };
}

/**
 * Takes the landing of a changeset back, with its tasks and its review. Nothing is lost: what had landed stays on
 * `refs/blueflame/changesets` and in the tasks' history. Throws FlameErrors `no-changeset`, `needs-reason`,
 * `taken-back-already`, `revert-taken-back`, `behind-landing`, `undo-conflict`, `nothing-to-undo`, and as a landing does where a work tree is in the way.
 */
export async function takeBack(workshop: Workshop, id: SessionId, wish: UndoWish): Promise<Undone> {
  if (!saysSomething(wish.notes))
    throw withoutReason('A landing is taken back only with a reason that can be seen.', [
      `git flame undo --${wish.follow} REASON`,
    ]);
  return workshop.landInTurn(async () => {
    const { changeset, why, isGone } = await planUndo(workshop, id, wish.changeset);
    const { session } = await viewSession(workshop, id);
    const about = { changeset: changeset.id, commit: changeset.landed_commit, branch: landsOn(session) };
    if (why !== null && wish.keep) throw keepsNothing(changeset, why);
    if (why !== null)
      return { ...about, how: 'revert', why, task: await revertLanding(workshop, id, { changeset, wish }) };
    if (isGone) {
      await recordUndone(workshop, id, { changeset, wish, move: null });
      return { ...about, how: 'was-gone' };
    }
    const to = await moveBack(workshop, session, { changeset, wish });
    return { ...about, how: 'moved-back', to };
  });
}

/**
 * A person may have taken a landing off the branch. That the branch has just not been brought along is another thing: then
 * the work is still where others have it. Throws FlameError `behind-landing`.
 */
async function requireGone(
  { git, origins }: Pick<Workshop, 'git' | 'origins'>,
  session: Session,
  { changeset, tip }: { readonly changeset: LandedChangeset; readonly tip: ObjectId },
): Promise<void> {
  const { id, landed_commit: commit } = changeset;
  const [published] = await git.refsHolding(commit, 'refs/remotes/');
  const isOwn = origins.has(landedDecision(session, changeset));
  if (published === undefined && (isOwn || !(await git.isAncestor(tip, commit)))) return;
  const where =
    published === undefined ? 'in another clone' : `on ${published.ref.slice('refs/remotes/'.length)}`;
  throw new FlameError({
    kind: 'refused',
    code: 'behind-landing',
    message: `${id} landed ${where}, and ${landsOn(session)} here is without it: bring it along first.`,
    hints: ['git pull --ff-only', `git flame undo ${id} --dry-run`],
  });
}

interface Undoing {
  readonly changeset: LandedChangeset;
  readonly wish: AfterUndo;
}

/** Why the branch is not moved back, as the end of a sentence; null: it is. */
async function whyRevert(
  { git }: Pick<Workshop, 'git'>,
  session: Session,
  { commit, tip }: { readonly commit: ObjectId; readonly tip: ObjectId },
): Promise<string | null> {
  const branch = landsOn(session);
  if (commit !== tip) return `${branch} has moved on since`;
  if (session.machines !== undefined) return 'other machines have it';
  if (typeof session.landing?.pull_request === 'string') return 'a pull request shows it';
  for (const prefix of ['refs/remotes/', 'refs/tags/']) {
    const [first] = await git.refsHolding(commit, prefix);
    if (first !== undefined) return `${first.ref.slice('refs/'.length)} holds it`;
  }
  return null;
}

async function moveBack(workshop: Workshop, session: Session, undoing: Undoing): Promise<ObjectId> {
  const { landed_commit: from } = undoing.changeset;
  const [to] = (await workshop.git.readCommit(from)).parents;
  // A landing is a merge onto what was there.
  if (to === undefined) throw new Error(`${from} has no parent`);
  await bringOthersAlong(workshop, session);
  const { id } = undoing.changeset;
  const again = `git flame undo ${id} --${undoing.wish.follow} REASON`;
  const doing = { done: 'taken back', again };
  await requireCleanBase(workshop, session, doing);
  const move = { from: ownCheckout(workshop, session)?.from ?? from, to };
  await requireFreePaths(workshop, session, { ...move, doing });
  const isMoved = await recordUndone(workshop, session.id, { ...undoing, move: { from, to } });
  if (!isMoved) throw branchMoved(landsOn(session), `while ${id} was being taken back`, [again]);
  await bringAlong(workshop, session.id);
  return to;
}

/** One transaction over the branch, the tasks, the review and the session. false: the branch was elsewhere. */
async function recordUndone(
  workshop: Pick<
    Workshop,
    'config' | 'events' | 'gates' | 'git' | 'now' | 'origins' | 'place' | 'sharing' | 'store'
  >,
  id: SessionId,
  {
    changeset,
    wish,
    move,
  }: Undoing & { readonly move: { readonly from: ObjectId; readonly to: ObjectId } | null },
): Promise<boolean> {
  const keptRef = changesetRef(id, changeset.id);
  const kept = await workshop.git.resolveCommit(keptRef);
  const result = await record(workshop, id, (view): Recording => {
    const { session } = view;
    const undone = undoneLanding(workshop, view, { changeset, wish });
    const checkout = ownCheckout(workshop, session);
    const moved =
      move === null
        ? {}
        : {
            base_commit: move.to,
            checkout: { from: checkout?.from ?? move.from, to: move.to, place: workshop.place },
          };
    const branch = parseRefName(`refs/heads/${landsOn(session)}`);
    const refs: readonly RefUpdate[] = [
      ...(move === null ? [] : [{ ref: branch, old: move.from, new: move.to }]),
      ...(kept === changeset.landed_commit
        ? []
        : [{ ref: keptRef, old: kept, new: changeset.landed_commit }]),
    ];
    const next = voidAbove(undone.session, changeset.landed_commit);
    return {
      ...reviewUndone(view, changeset, undone.mark),
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

/** What was built on a commit that is gone would bring it back: it is built again. */
function voidAbove(session: Session, gone: ObjectId): Session {
  const above = session.changesets.filter(
    ({ state, base, parent }) =>
      (state === 'waiting' || state === 'approved') && (base === gone || parent === gone),
  );
  const why = `it was built on ${shortId(gone)}, whose landing was taken back`;
  return withStates(
    session,
    above.map(({ id }) => id),
    'void',
    why,
  );
}

function reviewUndone(
  { snapshot }: SessionView,
  { landed_commit: commit }: LandedChangeset,
  undone: { readonly by: string; readonly at: string; readonly reason: string },
): Pick<Recording, 'review'> {
  const note = snapshot.reviewOn(commit);
  return note === null || note === undefined ? {} : { review: { commit, note: { ...note, undone } } };
}

function nothingLanded({ id, changesets }: Session, name: string | null): FlameError {
  const known = changesets.findLast((one) => one.id === name || one.group === name);
  if (known !== undefined)
    return noChangeset(`Changeset ${known.id} is ${known.state}: there is no landing of it to take back.`, [
      `git flame show ${known.id}`,
    ]);
  return noChangeset(`No changeset${name === null ? '' : ` ${name}`} has landed in ${id}.`, [
    'git flame status',
  ]);
}

function takenBackAlready(
  { id }: LandedChangeset,
  { id: task, cohesion_group: group, status }: Task,
): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'taken-back-already',
    message: `${task} takes the landing of ${id} back already; it is ${status}.`,
    hints: [`git flame show ${task}`, `git flame review --changeset ${group}`],
  });
}

/** git takes commits that were reverted for merged: work that starts from them would not come back. */
function keepsNothing({ id }: LandedChangeset, why: string): FlameError {
  return nothingToKeep(
    `${id} is taken back by a revert, since ${why}: its next attempts can't start from the work that is reverted.`,
    ['git flame undo --requeue REASON'],
  );
}

/** What it took back was requeued or dropped by its landing: those tasks would not have landed, and their work would be there. */
function isRevert({ id, tasks }: LandedChangeset): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'revert-taken-back',
    message: `${id} took a landing back itself. What that had brought comes again when its tasks are done again, as work of their own.`,
    hints: tasks.map((task) => `git flame show ${task}`),
  });
}
