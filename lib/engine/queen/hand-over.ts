import { changesetsOfCycle } from '../../core/schedule/next-action.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task.ts';
import { mergeWave } from '../merge/merge-wave.ts';
import { record, type SessionView, viewSession } from '../record.ts';
import type { Workshop } from '../workshop.ts';
import { isApprovedByQueen, isQueen } from './judge-work.ts';
import { isLeftUnjudged } from './left-unjudged.ts';
import {
  alreadyCompleted,
  leftUnjudged,
  personsSession,
  planNotApproved,
  refusal,
  requireNoneRunning,
  sessionEnded,
  sessionStopped,
  someOf,
} from './refusals.ts';

interface HandedOver {
  readonly changesets: readonly { readonly id: string; readonly tasks: readonly string[] }[];
  /** Tasks that conflict and went back to their workers: the work is not complete then. */
  readonly conflicts: number;
}

/**
 * Builds the changesets of what was approved, for the person to review; lands nothing. The caller holds the session's
 * lock. Once more changes nothing. Throws FlameErrors `plan-not-approved`, `still-running`, `still-open`, `not-passed`,
 * `not-judged`, `unapproved`, `nothing-done`, `session-ended`, `session-stopped`.
 */
export async function completeSession(
  workshop: Workshop,
  id: SessionId,
  { summary, by }: { readonly summary: string; readonly by: AgentId },
): Promise<HandedOver> {
  const view = await viewSession(workshop, id);
  const built = waitingSets(view);
  if (built.length > 0) return { changesets: built, conflicts: 0 };
  if (view.session.state === 'ended') throw sessionEnded(id);
  if (view.session.state === 'stopped') throw sessionStopped(id);
  requireComplete(view);
  await record(workshop, id, ({ session }) => ({
    session: { next: session, subject: `session: ${by} hands the work over` },
    body: summary,
    actor: by,
  }));
  const { conflicts } = await mergeWave(workshop, id);
  return { changesets: waitingSets(await viewSession(workshop, id)), conflicts };
}

function waitingSets({ session }: Pick<SessionView, 'session'>): HandedOver['changesets'] {
  return changesetsOfCycle(session)
    .filter(({ state }) => state === 'waiting' || state === 'approved')
    .map(({ id, tasks }) => ({ id, tasks }));
}

function requireComplete(view: SessionView): void {
  const { session, tasks } = view;
  if (session.proposal !== null) throw planNotApproved();
  requireNoneRunning(tasks);
  const open = tasks.filter(({ status }) => status === 'pending' || status === 'requeued');
  if (open.length > 0)
    throw refusal({
      code: 'still-open',
      message: `${names(open)} ${open.length === 1 ? 'is' : 'are'} not worked on yet.`,
      next: 'assign_task, or drop_tasks what is not needed',
    });
  const lost = tasks.filter(({ status }) => status === 'failed' || status === 'blocked');
  if (lost.length > 0)
    throw refusal({
      code: 'not-passed',
      message: `${names(lost)} failed or ${lost.length === 1 ? 'is' : 'are'} blocked, and would be left behind.`,
      next: 'drop_tasks takes them out of the plan, reject_task sends back what failed',
    });
  const done = tasks.filter(({ status }) => status === 'done');
  const failed = done.filter(({ result }) => result.status === 'fail');
  if (failed.length > 0)
    throw refusal({
      code: 'not-passed',
      message: `${names(failed)} did not pass ${failed.length === 1 ? 'its' : 'their'} validation.`,
      next: 'reject_task sends it back; where that is used up the lead decides: git flame validate',
    });
  const unjudged = done.filter((task) => isLeftUnjudged(view, task));
  if (unjudged.length > 0) throw leftUnjudged(unjudged.map(({ id }) => id));
  const unapproved = done.filter((task) => !isApprovedByQueen(view, task));
  if (unapproved.length > 0)
    throw refusal({
      code: 'unapproved',
      message: `${names(unapproved)} ${unapproved.length === 1 ? 'has' : 'have'} not your word yet.`,
      next: 'get_task_output, then approve_task or reject_task',
    });
  if (done.length === 0)
    throw refusal({
      code: 'nothing-done',
      message: 'No task is done: there is nothing to hand over.',
      next: 'create_tasks and assign_task, or fail with the reason',
    });
}

function names(tasks: readonly Task[]): string {
  return someOf(tasks.map(({ id }) => id));
}

/** What a session that was given up has. */
export interface GivenUp {
  /** Whether it was stopped by this; else it was before. */
  readonly isNew: boolean;
  readonly view: SessionView;
}

/**
 * Stops the session with the reason; all that was done is kept, and `git flame run` goes on. Agents at work end what they
 * began, and no other one starts. Once more changes nothing. What a person began is theirs to stop, unless they appointed
 * her to lead it. Throws FlameErrors `completed`, `session-ended`, `leads-not`.
 */
export async function giveUpSession(
  workshop: Workshop,
  id: SessionId,
  {
    reason,
    by,
    isAppointed,
  }: { readonly reason: string; readonly by: AgentId; readonly isAppointed: boolean },
): Promise<GivenUp> {
  let isNew = false;
  await record(workshop, id, (view) => {
    const { session } = view;
    if (session.state === 'ended') throw sessionEnded(id);
    if (waitingSets(view).length > 0) throw alreadyCompleted();
    if (!isAppointed && !isQueen(session.created_by)) throw personsSession(id);
    isNew = session.state === 'active';
    if (!isNew) return null;
    const next = { ...session, state: 'stopped' as const };
    return { session: { next, subject: `session: stopped by ${by}` }, body: reason, actor: by };
  });
  const message = `${by} gave up: ${reason}`;
  if (isNew) workshop.events.emit({ event: 'notice', level: 'warning', message });
  return { isNew, view: await viewSession(workshop, id) };
}
