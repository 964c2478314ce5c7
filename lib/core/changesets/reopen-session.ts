import { refusedError } from '../../domain/flame-error.ts';
import type { SessionId, TaskId } from '../../domain/ids.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { isTaskOpen } from '../schedule/next-action.ts';

/**
 * Continues a session that the limit of cycles ended, if the limit was raised since; its change. undefined:
 * it is open, or nothing is left of it. Throws FlameError `cycle-limit`.
 */
export function reopenAfterCycleLimit(
  session: Session,
  tasks: readonly Task[],
  maxCycles: number,
): Session | undefined {
  if (session.state !== 'ended' || !tasks.some(isTaskOpen)) return undefined;
  requireCycleLeft(session, maxCycles);
  return { ...session, state: 'active', wave: 'review' };
}

/** Throws FlameError `cycle-limit` where another cycle would be one too many. */
export function requireCycleLeft({ id, cycle }: Session, maxCycles: number): void {
  if (cycle < maxCycles) return;
  throw refusedError(
    'cycle-limit',
    `${id} has used all its wave cycles (limits.max_wave_cycles: ${maxCycles}), and work is left. Raise the limit in .blueflame.yml, then resume the session.`,
    [`git flame resume ${id}`],
  );
}

/**
 * Reopens a session that ended with tasks left once a person takes one of them up; its change, and the words
 * for the commit that records it. undefined: it is open.
 */
export function reopenSessionForTask(
  session: Session,
  task: TaskId,
): { readonly next: Session; readonly subject: string } | undefined {
  if (session.state !== 'ended') return undefined;
  return { next: { ...session, state: 'active', wave: 'work' }, subject: `session: reopened for ${task}` };
}

interface SessionSummary {
  /** Changesets that landed. */
  readonly approved: number;
  /** Tasks, by what they are now. */
  readonly requeued: number;
  readonly blocked: number;
  /** Pending, claimed or done: something is still to happen to them. */
  readonly open: number;
  readonly failed: number;
  readonly merged: number;
}

/**
 * The state of a session at the end of a cycle. Pass the changesets of that cycle alone to count that
 * cycle's.
 */
export function summarizeSessionCounts(
  tasks: readonly Task[],
  changesets: readonly Pick<Changeset, 'state'>[],
): SessionSummary {
  const count = (...statuses: readonly Task['status'][]): number =>
    tasks.filter((task) => statuses.includes(task.status)).length;
  return {
    approved: changesets.filter(({ state }) => state === 'landed').length,
    requeued: count('requeued'),
    blocked: count('blocked'),
    open: count('pending', 'claimed', 'done'),
    failed: count('failed'),
    merged: count('merged'),
  };
}

/**
 * The ended sessions beyond the newest `keep` of all that are at hand, oldest first. One that is still in use
 * stays: a task is claimed, a checkout must still be brought along, or it is in `busy` (its worktrees exist).
 */
export function listSessionsToArchive(
  snapshot: Snapshot,
  { keep, busy }: { readonly keep: number; readonly busy: ReadonlySet<SessionId> },
): readonly SessionId[] {
  const atHand = snapshot.sessions.filter(({ archived_at }) => archived_at === undefined);
  return atHand
    .slice(0, Math.max(0, atHand.length - keep))
    .filter(({ id, state, checkout }) => {
      const isInUse = busy.has(id) || checkout !== null || snapshot.current?.id === id;
      return state === 'ended' && !isInUse && snapshot.tasksOf(id).every(({ status }) => status !== 'claimed');
    })
    .map(({ id }) => id);
}

const mostNotes = 20;

/**
 * The session whose plan, where one waited, is sent back with these notes: the next planner reads all of
 * them.
 */
export function sendPlanBack(session: Session, notes: string): Session {
  const said = [...(session.sent_back?.notes ?? []), notes].slice(-mostNotes);
  return {
    ...session,
    proposal: null,
    replan_notes: notes,
    sent_back: { notes: said, plan: session.proposal },
  };
}
