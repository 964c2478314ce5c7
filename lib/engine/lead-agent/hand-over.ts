import { listChangesetsOfCycle } from '../../core/schedule/next-action.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import { isChangesetOpen } from '../../domain/state/changeset-facts.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { runMergeWave } from '../merge/merge-wave.ts';
import { decideAndRecord, type SessionView, viewSession } from '../record-changes.ts';
import { type RunContext, warn } from '../run-context.ts';
import { isApprovedByLeadAgent, isLeadAgentId, isUnjudgedByValidators } from './judge-tasks.ts';
import {
  alreadyHandedOverError,
  failedTaskHint,
  leadToolError,
  leftUnjudgedError,
  listFirstTaskIds,
  planNotApprovedError,
  sessionEndedError,
  sessionStoppedError,
} from './lead-tool-errors.ts';

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
export async function handOverSession(
  context: RunContext,
  id: SessionId,
  { summary, by }: { readonly summary: string; readonly by: AgentId },
): Promise<HandedOver> {
  const view = await viewSession(context, id);
  const built = waitingSets(view);
  if (built.length > 0) return { changesets: built, conflicts: 0 };
  if (view.session.state === 'ended') throw sessionEndedError(id);
  if (view.session.state === 'stopped') throw sessionStoppedError(id);
  requireComplete(view);
  await decideAndRecord(context, id, ({ session }) => ({
    session: { next: session, subject: `session: handed over by ${by}` },
    body: summary,
    actor: by,
  }));
  const { conflicts } = await runMergeWave(context, id);
  return { changesets: waitingSets(await viewSession(context, id)), conflicts };
}

function waitingSets({ session }: Pick<SessionView, 'session'>): HandedOver['changesets'] {
  return listChangesetsOfCycle(session)
    .filter(isChangesetOpen)
    .map(({ id, tasks }) => ({ id, tasks }));
}

function requireComplete(view: SessionView): void {
  const { session, tasks } = view;
  if (session.proposal !== null) throw planNotApprovedError();
  const having = (...statuses: readonly Task['status'][]): readonly Task[] =>
    tasks.filter(({ status }) => statuses.includes(status));
  const done = having('done');
  requireNone('still-running', having('claimed'), 'did not end yet', 'wait_for_workers');
  const dropOr = 'drop_tasks takes them out of the plan, reject_task sends back what failed';
  const assign = 'assign_task, or drop_tasks for what is not needed';
  requireNone('still-open', having('pending', 'requeued'), 'did not start yet', assign);
  requireNone('not-passed', having('failed', 'blocked'), 'failed or became blocked', dropOr);
  const failed = done.filter(({ result }) => result.status === 'fail');
  requireNone('not-passed', failed, 'did not pass validation', failedTaskHint);
  const unjudged = done.filter((task) => isUnjudgedByValidators(view, task));
  if (unjudged.length > 0) throw leftUnjudgedError(unjudged);
  const unapproved = done.filter((task) => !isApprovedByLeadAgent(view, task));
  const judge = 'get_task_output, then approve_task or reject_task';
  requireNone('unapproved', unapproved, 'did not get your approval yet', judge);
  if (done.length > 0) return;
  const next = 'create_tasks and assign_task, or call fail with the reason';
  const message = 'No task is done: there is nothing to hand over.';
  throw leadToolError({ code: 'nothing-done', message, next });
}

function requireNone(code: string, tasks: readonly Task[], what: string, next: string): void {
  if (tasks.length > 0) throw leadToolError({ code, message: `${listFirstTaskIds(tasks)} ${what}.`, next });
}

/** A session that was given up, and whether that stopped it; else it was stopped before. */
export interface GivenUpSession {
  readonly isNew: boolean;
  readonly view: SessionView;
}

/**
 * Stops the session with the reason; all that was done is kept, and `git flame run` continues it. Agents at work finish
 * what they began, and no other one starts. Once more changes nothing. A session that a person began is stopped only by
 * an agent they appointed to lead it. Throws FlameErrors `completed`, `session-ended`, `leads-not`.
 */
export async function giveUpSessionByLeadAgent(
  context: RunContext,
  id: SessionId,
  { reason, by, isAppointed }: { readonly reason: string; readonly by: AgentId; readonly isAppointed: boolean },
): Promise<GivenUpSession> {
  let isNew = false;
  await decideAndRecord(context, id, (view) => {
    const { session } = view;
    if (session.state === 'ended') throw sessionEndedError(id);
    if (waitingSets(view).length > 0) throw alreadyHandedOverError();
    if (!isAppointed && !isLeadAgentId(session.created_by))
      throw leadToolError({
        code: 'leads-not',
        message: `The project lead started session ${id}, so only they can end it.`,
        next: `Give the project lead your reason. They can end the session with: git flame session end ${id}, or continue it with: git flame run`,
      });
    isNew = session.state === 'active';
    if (!isNew) return null;
    const next = { ...session, state: 'stopped' as const };
    return { session: { next, subject: `session: stopped by ${by}` }, body: reason, actor: by };
  });
  const message = `${by} gave up: ${reason}`;
  if (isNew) warn(context, message);
  return { isNew, view: await viewSession(context, id) };
}
