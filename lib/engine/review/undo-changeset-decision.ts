import { listUndoableDecisions, reopenChangesetDecision } from '../../core/changesets/changeset-decision.ts';
import { listChangesetsOfCycle } from '../../core/schedule/next-action.ts';
import { isStillAsRejectedAt, isTaskBeforeRejection, undoTaskRejection } from '../../core/task/take-back-task.ts';
import { changedConcurrentlyError } from '../../domain/concurrency-errors.ts';
import { FlameError, refusedError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import { noChangesetError } from '../../domain/input-errors.ts';
import type { DecisionWithPlace } from '../../domain/ports/gates.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { addGateDecision } from '../agents/ask-person.ts';
import {
  decideAndRecord,
  type RecordContext,
  requireTaskInView,
  type SessionView,
  viewSession,
} from '../record-changes.ts';
import { warn } from '../run-context.ts';

/**
 * Takes back what a person decided about a changeset, as long as nothing of it has landed: it waits again, and tasks
 * that were sent back are as they were before. Resolves to it as it had been decided. Throws FlameErrors `no-changeset`,
 * `not-undoable`, `changed-meanwhile`.
 */
export async function undoChangesetDecision(
  context: RecordContext,
  id: SessionId,
  name: string,
  from: DecisionWithPlace<unknown> = {},
): Promise<Changeset> {
  for (;;) {
    const view = await viewSession(context, id);
    const changeset = requireUndoable(view.session, name);
    const before = await formerTasks(context, view, changeset);
    const { person } = context.gates;
    const result = await decideAndRecord(context, id, (now) => {
      const known = requireUndoable(now.session, changeset.id);
      const areUnchanged = before.every(({ task }) => requireTaskInView(now, task.id).rev === task.rev);
      if (known.commit !== changeset.commit || !areUnchanged) return null;
      const noted = addGateDecision(
        now.session,
        { gate: `changeset ${known.id}`, decision: 'taken back' },
        from,
        context,
      );
      return {
        session: {
          next: reopened(reopenChangesetDecision(noted, known)),
          subject: `changeset ${known.id}: waits again, ${person} took back its state ${known.state}`,
        },
        steps: before.map(({ task, former }) => undoTaskRejection(requireTaskInView(now, task.id), former)),
      };
    });
    if (result.kind !== 'done') continue;
    context.events.emit({ event: 'decision-undone', changeset: changeset.id, was: changeset.state });
    return changeset;
  }
}

/** As undoChangesetDecision, for an answer in a review, which goes on: if it can't be taken back any more, that is reported. */
export async function undoDecisionOrWarn(
  context: RecordContext,
  id: SessionId,
  name: string,
  from: DecisionWithPlace<unknown>,
): Promise<void> {
  try {
    await undoChangesetDecision(context, id, name, from);
  } catch (error) {
    if (!(error instanceof FlameError) || error.kind !== 'refused') throw error;
    warn(context, error.message);
  }
}

/** There is something to decide again. */
function reopened(session: Session): Session {
  return session.state === 'ended' ? { ...session, state: 'active', wave: 'review' } : session;
}

interface Restored {
  readonly task: Task;
  /** As it was before it was sent back. */
  readonly former: Task;
}

/**
 * Finds the former state of tasks that a rejection sent back, with the work the changeset was built of. Throws
 * FlameError `changed-meanwhile` where some of it has gone on since.
 */
async function formerTasks(
  { store }: Pick<RecordContext, 'store'>,
  view: SessionView,
  { id, state, tasks, works = [], rejected_tasks: part = tasks }: Changeset,
): Promise<readonly Restored[]> {
  if (state !== 'rejected') return [];
  const rejected = part.map((task) => requireTaskInView(view, task));
  const at = rejected[0]?.history.at(-1)?.timestamp ?? '';
  const along = view.tasks.filter((task) => !rejected.includes(task) && isStillAsRejectedAt(task, at));
  const isItsWork = (task: Task, former: Task): boolean => {
    const built = works[tasks.indexOf(task.id)];
    return built === undefined || former.commit === built;
  };
  const restored: Restored[] = [];
  for (const task of [...rejected, ...along]) {
    const former = await store.readFormerTask(task);
    if (!isStillAsRejectedAt(task, at) || !isTaskBeforeRejection(task, former) || !isItsWork(task, former))
      throw goneOn(id, task);
    restored.push({ task, former });
  }
  return restored;
}

function goneOn(changeset: string, { id, status }: Task): FlameError {
  return changedConcurrentlyError(
    `${id} is ${status} and was worked on after changeset ${changeset} was rejected, so the rejection can no longer be taken back.`,
    [`git flame show ${id}`],
  );
}

/** The changeset of that id or group whose decision can be taken back; the latest of them. */
function requireUndoable(session: Session, name: string): Changeset {
  const isNamed = ({ id, group }: Changeset): boolean => id === name || group === name;
  const found = listUndoableDecisions(session).findLast(isNamed);
  if (found !== undefined) return found;
  const known = listChangesetsOfCycle(session).findLast(isNamed);
  if (known === undefined) throw noChangesetError(`There is no changeset ${name} in this cycle.`, ['git flame status']);
  throw notUndoable(known);
}

function notUndoable({ id, group, state }: Changeset): FlameError {
  // A rejection stays only because the rest of the changeset landed.
  const isLanded = state === 'landed' || state === 'rejected';
  const why =
    state === 'waiting'
      ? 'it has no decision yet'
      : isLanded
        ? 'it has landed, in full or in part'
        : `it is ${state}, and no person decided that`;
  return refusedError('not-undoable', `Changeset ${id} has no decision to take back: ${why}.`, [
    isLanded ? `git flame undo ${shellQuote(group)} --requeue REASON` : 'git flame status',
  ]);
}
