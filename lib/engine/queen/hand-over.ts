import { changesetsOfCycle } from '../../core/schedule/next-action.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task.ts';
import { mergeWave } from '../merge/merge-wave.ts';
import { record, type SessionView, viewSession } from '../record.ts';
import type { Workshop } from '../workshop.ts';
import { isApprovedByQueen } from './judge-work.ts';
import { planNotApproved, refusal, requireNoneRunning } from './refusals.ts';

interface HandedOver {
  readonly changesets: readonly { readonly id: string; readonly tasks: readonly string[] }[];
  /** Tasks that conflict and went back to their workers: the work is not complete then. */
  readonly conflicts: number;
}

/**
 * Builds the changesets of what was approved, for the person to review; lands nothing. The caller holds the session's
 * lock. Once more changes nothing. Throws FlameErrors `plan-not-approved`, `still-running`, `still-open`,
 * `not-passed`, `unapproved`, `nothing-done`.
 */
export async function completeSession(
  workshop: Workshop,
  id: SessionId,
  { summary, by }: { readonly summary: string; readonly by: AgentId },
): Promise<HandedOver> {
  const view = await viewSession(workshop, id);
  const built = waitingSets(view);
  if (built.length > 0) return { changesets: built, conflicts: 0 };
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
  const done = tasks.filter(({ status }) => status === 'done');
  const failed = done.filter(({ result }) => result.status === 'fail');
  if (failed.length > 0)
    throw refusal({
      code: 'not-passed',
      message: `${names(failed)} did not pass ${failed.length === 1 ? 'its' : 'their'} validation.`,
      next: 'reject_task sends it back; where that is used up the lead decides: git flame validate',
    });
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
      next: 'fail',
    });
}

function names(tasks: readonly Task[]): string {
  const some = tasks.slice(0, 10).map(({ id }) => id);
  return `${some.join(', ')}${tasks.length > some.length ? ` and ${tasks.length - some.length} more` : ''}`;
}

/** Stops the session with the reason; all that was done is kept, and `git flame run` goes on. Once more changes nothing. */
export async function giveUpSession(
  workshop: Workshop,
  id: SessionId,
  { reason, by }: { readonly reason: string; readonly by: AgentId },
): Promise<void> {
  await record(workshop, id, ({ session }) => {
    if (session.state !== 'active') return null;
    const next = { ...session, state: 'stopped' as const };
    return { session: { next, subject: `session: stopped by ${by}` }, body: reason, actor: by };
  });
  const message = `${by} gave up: ${reason}`;
  workshop.events.emit({ event: 'notice', level: 'warning', message });
}
