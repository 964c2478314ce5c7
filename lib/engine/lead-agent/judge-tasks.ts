import { listValidatorsWithoutVerdict, maxValidatorsWithoutVerdict } from '../../core/task/attempt-records.ts';
import { withdrawTasks } from '../../core/task/block-dependents.ts';
import { dropTask, makeRequeuedTaskPending, renderRequeueNotes, requeueTask } from '../../core/task/task-outcome.ts';
import { type AgentId, agentIdPattern, type SessionId } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { isNonBlank } from '../../util/error-text.ts';
import { decideAndRecord, requireTaskInView, type SessionView, viewSession } from '../record-changes.ts';
import { type RunContext, timestamp } from '../run-context.ts';
import { recordVerdict } from '../validate/record-verdict.ts';
import { leadToolError, leftUnjudgedError } from './lead-tool-errors.ts';
import { requireLeadCanChangeSession } from './propose-tasks.ts';

/** A lead agent's judgement of one task. */
export interface LeadAgentJudgement {
  readonly task: string;
  /** The commit that is judged, or how it begins; absent: the one there is. */
  readonly commit?: string | undefined;
  readonly feedback: string;
  readonly by: AgentId;
}

/**
 * Records the lead agent's approval of a done task, beside what diagnostics and validator found: only what they passed
 * can be approved, and nothing lands by it. Once more changes nothing. Resolves to whether it changed anything. Throws
 * FlameErrors `no-task`, `not-done`, `verdict-fail`, `not-judged`, `stale-commit`, `completed`.
 */
export async function approveTaskAsLeadAgent(
  context: RunContext,
  id: SessionId,
  judging: LeadAgentJudgement,
): Promise<boolean> {
  const view = await viewSession(context, id);
  requireLeadCanChangeSession(view.session);
  const verdict = requirePassed(view, requireTaskInView({ tasks: view.tasks }, judging.task), judging);
  if (isLeadAgentId(verdict.by)) return false;
  const feedback = isNonBlank(judging.feedback) ? ` ${judging.feedback.trim()}` : '';
  await recordVerdict(context, id, {
    ...verdict,
    notes: `${verdict.notes}\nApproved by ${judging.by}.${feedback}`.trim().slice(0, 4_000),
    by: judging.by,
    at: timestamp(context),
    cost_usd: 0,
    tokens: 0,
  });
  return true;
}

/** Whether a lead agent approved a done task, on exactly its commit. */
export function isApprovedByLeadAgent({ snapshot }: Pick<SessionView, 'snapshot'>, task: Task): boolean {
  if (task.status !== 'done' || task.result.status !== 'pass') return false;
  const verdict = snapshot.verdictsOn(task.commit).at(-1);
  return verdict !== undefined && isLeadAgentId(verdict.by);
}

/** Whether an author in the notes is a lead agent, and no person. */
export function isLeadAgentId(by: string): boolean {
  return agentIdPattern.test(by) && by.startsWith('queen-');
}

/** Whether so many validators gave no verdict on done work that only a person may pay for another one, or judge it. */
export function isUnjudgedByValidators(
  { session, snapshot }: Pick<SessionView, 'session' | 'snapshot'>,
  task: Task,
): boolean {
  if (task.status !== 'done' || task.result.status !== null) return false;
  if (snapshot.verdictsOn(task.commit).length > 0) return false;
  return listValidatorsWithoutVerdict(session, task).length >= maxValidatorsWithoutVerdict;
}

function requirePassed(view: SessionView, task: Task, { commit }: LeadAgentJudgement): Verdict {
  if (task.status !== 'done') throw notDone(task);
  requireCommit(task.id, task.commit, commit);
  const verdict = view.snapshot.verdictsOn(task.commit).at(-1);
  if (isUnjudgedByValidators(view, task)) throw leftUnjudgedError([task]);
  if (verdict === undefined || task.result.status === null)
    throw leadToolError({
      code: 'not-judged',
      message: `${task.id} has no verdict yet: its checks and its validator run first.`,
      next: 'wait_for_workers returns once it has a verdict. If nothing is running: assign_task',
    });
  if (task.result.status === 'pass') return verdict;
  throw leadToolError({
    code: 'verdict-fail',
    message: `${task.id} did not pass its validation: ${task.result.notes.slice(0, 500)}`,
    details: task.result.issues.slice(0, 20),
    next: 'reject_task with what the next attempt must do better. Only the project lead can pass it: git flame validate',
  });
}

function requireCommit(id: string, now: string, named: string | undefined): void {
  if (named === undefined || now.startsWith(named)) return;
  throw leadToolError({
    code: 'stale-commit',
    message: `${id} has moved: it is at ${now.slice(0, 12)}, not at ${named.slice(0, 12)}.`,
    next: 'get_task_output shows the current work. Judge that',
  });
}

function notDone({ id, status }: Pick<Task, 'id' | 'status'>) {
  const next = waysOf[status] ?? 'wait_for_workers, then get_task_output';
  return leadToolError({
    code: 'not-done',
    next,
    message: `${id} is ${status}: there is no finished work to judge.`,
  });
}

const assigns = 'assign_task starts it, and wait_for_workers returns when it is done';
const others = 'get_status lists the tasks';
const waysOf: Partial<Record<Task['status'], string>> = {
  pending: assigns,
  requeued: assigns,
  failed: 'reject_task sends it back, drop_tasks takes it out of the plan',
  blocked: 'reject_task sends back what it waits for, drop_tasks takes it out of the plan',
  dropped: others,
  merged: others,
};

/**
 * Sends a done or failed task back with the reason; it is pending again at once. Once more, before it was worked on
 * again, changes nothing. Resolves to whether it changed anything. Throws FlameErrors `no-task`, `not-done`,
 * `stale-commit`, `needs-feedback`, `too-many-rejects`, `passed-by-lead`, `completed`.
 */
export async function rejectTaskAsLeadAgent(
  context: RunContext,
  id: SessionId,
  judging: LeadAgentJudgement,
): Promise<boolean> {
  const { feedback, by } = judging;
  if (!isNonBlank(feedback))
    throw leadToolError({
      code: 'needs-feedback',
      message: 'To send a task back, write what the next attempt must do better.',
      next: 'reject_task with feedback that a worker can follow',
    });
  const at = timestamp(context);
  let isNew = false;
  await decideAndRecord(context, id, ({ session, tasks, snapshot }) => {
    requireLeadCanChangeSession(session);
    const task = requireTaskInView({ tasks }, judging.task);
    // Asked once more by a client that lost the answer.
    isNew = task.status !== 'pending' || task.history.at(-1)?.rejection_reason !== feedback;
    if (!isNew) return null;
    if (task.status !== 'done' && task.status !== 'failed') throw notDone(task);
    if (task.commit !== null) {
      requireCommit(task.id, task.commit, judging.commit);
      requireNotOfPerson(task, snapshot.verdictsOn(task.commit).at(-1));
    }
    requireRejectsLeft(context, task);
    // Its assignment ends before it is pending: work beside this call would begin it once more.
    context.run.assigned?.delete(task.id);
    const notes = renderRequeueNotes(feedback, task.result);
    const back = requeueTask(task, { kind: 'rejected', reason: feedback, notes, at });
    const steps = [...withdrawTasks(tasks, [back], at), makeRequeuedTaskPending(back.task)];
    return { steps, body: notes, actor: by };
  });
  return isNew;
}

/** Work a person passed by hand is theirs to send back. */
function requireNotOfPerson({ id, result }: Task, verdict: Verdict | undefined): void {
  if (result.status !== 'pass' || verdict === undefined) return;
  if (verdict.by === 'diagnostics' || agentIdPattern.test(verdict.by)) return;
  throw leadToolError({
    code: 'passed-by-lead',
    message: `The project lead passed ${id} manually, so only they can send it back.`,
    next: 'approve_task, or report to the project lead what is wrong with it',
  });
}

/** By its history: what other clones or earlier runs sent back counts as well. */
function requireRejectsLeft({ config }: Pick<RunContext, 'config'>, { id, history }: Task): void {
  const most = config.queen.max_rejects;
  if (history.filter((entry) => entry.rejection_reason !== null).length < most) return;
  throw leadToolError({
    code: 'too-many-rejects',
    message: `${id} was already sent back ${most} times (queen.max_rejects). The project lead must look at it.`,
    next: 'Continue with the other tasks, and ask the project lead to use: git flame show, git flame task edit, git flame task release',
  });
}

/**
 * Drops tasks at once, where the configuration allows that (`queen.may_drop`); what depends on them is blocked. Throws
 * FlameErrors `no-task`, `task-not-open`.
 */
export async function dropTasksAsLeadAgent(
  context: RunContext,
  id: SessionId,
  { ids, reason, by }: { readonly ids: readonly string[]; readonly reason: string; readonly by: AgentId },
): Promise<void> {
  const at = timestamp(context);
  await decideAndRecord(context, id, ({ session, tasks }) => {
    requireLeadCanChangeSession(session);
    const open = ids.map((one) => requireTaskInView({ tasks }, one)).filter(({ status }) => status !== 'dropped');
    const held = open.find(({ status }) => status === 'claimed' || status === 'merged');
    if (held !== undefined)
      throw leadToolError({
        code: 'task-not-open',
        message: `${held.id} is ${held.status}.`,
        next: 'get_status',
      });
    if (open.length === 0) return null;
    const steps = open.map((task) => dropTask(task, { reason }));
    return { steps: withdrawTasks(tasks, steps, at), actor: by };
  });
}
