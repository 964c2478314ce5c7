import { type LandedChangeset, withUndone } from '../../core/changesets/landed-changeset.ts';
import { type AfterUndo, takeBackTask } from '../../core/task/take-back.ts';
import type { TaskChange } from '../../core/task/task-state.ts';
import { withdraw } from '../../core/task/withdraw.ts';
import type { Session } from '../../domain/state/session.ts';
import { type Recording, type SessionView, taskOf } from '../record.ts';
import { timestamp, type Workshop } from '../workshop.ts';

export interface UndoneLanding {
  readonly session: Session;
  readonly steps: readonly TaskChange[];
  /** The note on the commit it had landed as. */
  readonly reviews: NonNullable<Recording['reviews']>;
}

/** What follows for a session, its tasks and the review from a landing that is taken back. */
export function undoneLanding(
  workshop: Pick<Workshop, 'gates' | 'now'>,
  view: SessionView,
  { changeset, wish }: { readonly changeset: LandedChangeset; readonly wish: AfterUndo },
): UndoneLanding {
  const at = timestamp(workshop);
  const mark = { by: workshop.gates.person, at, reason: wish.notes };
  const leaving = changeset.tasks
    .map((task) => taskOf(view, task))
    .filter(({ status }) => status === 'merged')
    .map((task) => takeBackTask(task, wish, at));
  const { landed_commit: commit } = changeset;
  const note = view.snapshot.reviewOn(commit);
  return {
    session: reopened(withUndone(view.session, changeset, mark), wish),
    steps: withdraw(view.tasks, leaving, at),
    reviews: note === null ? [] : [{ commit, note: { ...note, undone: mark } }],
  };
}

/** Where there is work again. */
function reopened(session: Session, { follow }: AfterUndo): Session {
  return session.state === 'ended' && follow === 'requeue'
    ? { ...session, state: 'active', wave: 'review' }
    : session;
}
