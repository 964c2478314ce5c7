import { requeueNotes } from '../../core/task/requeue-notes.ts';
import { dropTask } from '../../core/task/task-outcome.ts';
import { requeueTask, restartTask } from '../../core/task/task-return.ts';
import { withdraw } from '../../core/task/withdraw.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import { agentIdPattern } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { saysSomething } from '../../util/says-something.ts';
import { record, type SessionView, taskOf, viewSession } from '../record.ts';
import { recordVerdict } from '../validate/record-verdict.ts';
import { timestamp, type Workshop } from '../workshop.ts';
import { isLeftUnjudged } from './left-unjudged.ts';
import { requireLeading } from './propose-tasks.ts';
import { leftUnjudged, notDone, refusal, staleCommit } from './refusals.ts';

/** What a model that leads says of one task. */
export interface Judging {
  readonly task: string;
  /** The commit that is meant, or how it begins; absent: the one there is. */
  readonly commit?: string | undefined;
  readonly feedback: string;
  readonly by: AgentId;
}

/**
 * Records that whoever leads is content with a done task, beside what diagnostics and validator found: only what they
 * passed can be approved, and nothing lands by it. Once more changes nothing. Resolves to whether it changed anything.
 * Throws FlameErrors `no-task`, `not-done`, `verdict-fail`, `not-judged`, `stale-commit`, `completed`.
 */
export async function approveWork(workshop: Workshop, id: SessionId, judging: Judging): Promise<boolean> {
  const view = await viewSession(workshop, id);
  requireLeading(view.session);
  const task = taskOf({ tasks: view.tasks }, judging.task);
  const verdict = requirePassed(view, task, judging);
  if (isOfQueen(verdict)) return false;
  const said = saysSomething(judging.feedback) ? ` ${judging.feedback.trim()}` : '';
  await recordVerdict(workshop, id, {
    ...verdict,
    notes: `${verdict.notes}\nApproved by ${judging.by}.${said}`.trim().slice(0, 4_000),
    by: judging.by,
    at: timestamp(workshop),
    cost_usd: 0,
    tokens: 0,
  });
  return true;
}

/** Whether a done task has the word of a model that leads, on exactly its commit. */
export function isApprovedByQueen({ snapshot }: Pick<SessionView, 'snapshot'>, task: Task): boolean {
  if (task.status !== 'done' || task.result.status !== 'pass') return false;
  const verdict = snapshot.verdictsOn(task.commit).at(-1);
  return verdict !== undefined && isOfQueen(verdict);
}

function isOfQueen({ by }: Verdict): boolean {
  return isQueen(by);
}

/** Whether somebody in the notes is a model that leads, and no person. */
export function isQueen(by: string): boolean {
  return agentIdPattern.test(by) && by.startsWith('queen-');
}

function requirePassed(view: SessionView, task: Task, judging: Judging): Verdict {
  if (task.status !== 'done') throw notDone(task);
  requireCommit(task.id, task.commit, judging.commit);
  const verdict = view.snapshot.verdictsOn(task.commit).at(-1);
  if (isLeftUnjudged(view, task)) throw leftUnjudged([task.id]);
  if (verdict === undefined || task.result.status === null)
    throw refusal({
      code: 'not-judged',
      message: `${task.id} is not judged yet: its checks and its validator come first.`,
      next: 'assign_task where nothing works; wait_for_workers tells when it is judged',
    });
  if (task.result.status === 'pass') return verdict;
  throw refusal({
    code: 'verdict-fail',
    message: `${task.id} did not pass its validation: ${task.result.notes.slice(0, 500)}`,
    details: task.result.issues.slice(0, 20),
    next: 'reject_task with what is to be done better; only the lead may pass it: git flame validate',
  });
}

function requireCommit(id: string, now: string, named: string | undefined): void {
  if (named !== undefined && !now.startsWith(named)) throw staleCommit(id, named, now);
}

/**
 * Sends a done or failed task back with the reason; it is pending again at once. Once more, before it was worked on
 * again, changes nothing. Resolves to whether it changed anything. Throws FlameErrors `no-task`,
 * `not-done`, `stale-commit`, `needs-feedback`, `too-many-rejects`, `passed-by-lead`, `completed`.
 */
export async function rejectWork(workshop: Workshop, id: SessionId, judging: Judging): Promise<boolean> {
  const { feedback, by } = judging;
  if (!saysSomething(feedback))
    throw refusal({
      code: 'needs-feedback',
      message: 'A task is sent back only with what the next attempt is to do better.',
      next: 'reject_task with feedback that can be followed',
    });
  const at = timestamp(workshop);
  let isNew = false;
  await record(workshop, id, ({ session, tasks, snapshot }) => {
    requireLeading(session);
    const task = taskOf({ tasks }, judging.task);
    isNew = !isSentBack(task, feedback);
    if (!isNew) return null;
    if (task.status !== 'done' && task.status !== 'failed') throw notDone(task);
    if (task.commit !== null) requireCommit(task.id, task.commit, judging.commit);
    if (task.commit !== null) requireNotOfLead(task, snapshot.verdictsOn(task.commit).at(-1));
    requireRejectsLeft(workshop, task);
    // Its assignment ends before it is pending: work beside this call would begin it once more.
    workshop.run.assigned?.delete(task.id);
    const notes = requeueNotes(feedback, task.result);
    const back = requeueTask(task, { kind: 'rejected', reason: feedback, notes, at });
    const steps = [...withdraw(tasks, [back], at), restartTask(back.task)];
    return { steps, body: notes, actor: by };
  });
  return isNew;
}

/** What a person passed by hand is theirs to send back. */
function requireNotOfLead({ id, result }: Task, verdict: Verdict | undefined): void {
  const isOfPerson =
    verdict !== undefined && verdict.by !== 'diagnostics' && !agentIdPattern.test(verdict.by);
  if (result?.status !== 'pass' || !isOfPerson) return;
  throw refusal({
    code: 'passed-by-lead',
    message: `The project lead passed ${id} by hand: sending it back is theirs.`,
    next: 'approve_task, or tell the lead what is wrong with it',
  });
}

/** With the same words, and nothing came after: whoever lost the answer asks again. */
function isSentBack({ status, history }: Task, feedback: string): boolean {
  return status === 'pending' && history.at(-1)?.rejection_reason === feedback;
}

/** By its history: what other clones or earlier runs sent back counts as well. */
function requireRejectsLeft({ config }: Pick<Workshop, 'config'>, { id, history }: Task): void {
  const most = config.queen.max_rejects;
  if (history.filter((entry) => entry.rejection_reason !== null).length < most) return;
  throw refusal({
    code: 'too-many-rejects',
    message: `${id} was sent back ${most} times already (queen.max_rejects): the lead has to look at it.`,
    next: 'Lead the others on, and tell the lead: git flame show, git flame task edit, git flame task release',
  });
}

/**
 * Drops tasks at once, where the configuration lets who leads do so (`queen.may_drop`); what depends on them is
 * blocked. Throws FlameErrors `no-task`, `task-not-open`.
 */
export async function dropWork(
  workshop: Workshop,
  id: SessionId,
  { ids, reason, by }: { readonly ids: readonly string[]; readonly reason: string; readonly by: AgentId },
): Promise<void> {
  const at = timestamp(workshop);
  await record(workshop, id, ({ session, tasks }) => {
    requireLeading(session);
    const open = ids.map((one) => taskOf({ tasks }, one)).filter(({ status }) => status !== 'dropped');
    for (const { id: name, status } of open) {
      if (status !== 'claimed' && status !== 'merged') continue;
      throw refusal({ code: 'task-not-open', message: `${name} is ${status}.`, next: 'get_status' });
    }
    if (open.length === 0) return null;
    const steps = open.map((task) => dropTask(task, { reason }));
    return { steps: withdraw(tasks, steps, at), actor: by };
  });
}
