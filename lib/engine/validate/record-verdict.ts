import { toDiagnosticsRunDecision } from '../../core/admission/make-decisions.ts';
import { withdrawTasks } from '../../core/task/block-dependents.ts';
import { failTask } from '../../core/task/task-attempt.ts';
import { applyVerdictToTask, dropTask, renderRequeueNotes, requeueTask } from '../../core/task/task-outcome.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { RequeueEdit, ValidationDecision } from '../../domain/ports/gates.ts';
import { isFromChecks } from '../../domain/state/changeset-facts.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import type { LockFactsReader } from '../lock-paths.ts';
import { badTaskEditError, listTaskEditProblems, readPlanBoundsOfSession } from '../plan-problems.ts';
import {
  decideAndRecord,
  type RecordContext,
  reportVerdict,
  requireTaskInView,
  viewSession,
} from '../record-changes.ts';
import { type RunContext, timestamp } from '../run-context.ts';
import { needsOverrideError } from './run-diagnostics.ts';

/** Records a verdict and what follows for its task, and by which configuration it was judged here. */
export async function recordVerdict(
  context: RecordContext & Pick<RunContext, 'configDigest'>,
  session: SessionId,
  verdict: Verdict,
): Promise<void> {
  const ran = toDiagnosticsRunDecision({ id: session }, verdict.commit, context.configDigest);
  const accepted = isFromChecks(verdict) ? [ran] : [];
  const done = await decideAndRecord(context, session, (view) => {
    const task = requireTaskInView(view, verdict.task);
    // The branch moved while it was judged: the verdict is about nothing any more.
    if (task.status !== 'done' || task.commit !== verdict.commit) return null;
    return { steps: [applyVerdictToTask(task, verdict)], verdict, actor: verdict.by, accepted };
  });
  if (done.kind === 'done') reportVerdict(context, verdict);
}

/** The error of a pass over what failed without a reason. */
export function passNeedsReasonError(
  why: string,
  { task, diagnostics }: Pick<Verdict, 'task' | 'diagnostics'>,
): FlameError {
  const message = `${why}. To pass it manually, give a reason.`;
  return needsOverrideError(message, diagnostics, [`git flame show ${task} --diff`, 'git flame validate']);
}

/** Does what the person decided about a task whose verdict is fail. */
export async function applyFailedTaskDecision(
  context: RecordContext & LockFactsReader,
  session: SessionId,
  id: string,
  decision: Exclude<ValidationDecision, { readonly kind: 'pass' | 'choose' | 'recheck' }>,
): Promise<void> {
  const at = timestamp(context);
  const bounds = await readPlanBoundsOfSession(context, session);
  await decideAndRecord(context, session, ({ tasks, ...view }) => {
    const task = requireTaskInView({ ...view, tasks }, id);
    if (task.status !== 'done') return null;
    if (decision.kind === 'drop') {
      const reason = decision.reason ?? `dropped by ${context.gates.person.split(' <')[0]}`;
      return { steps: withdrawTasks(tasks, [dropTask(task, { reason })], at) };
    }
    const { notes, description, file_locks, keep = false } = decision;
    const edits = {
      ...(description === undefined ? {} : { description }),
      ...(file_locks === undefined ? {} : { file_locks }),
    };
    const failureReason = renderRequeueNotes(notes, task.result);
    const step = requeueTask(task, {
      kind: 'validation_failed',
      reason: notes,
      notes: failureReason,
      at,
      keep,
      ...edits,
    });
    const isEdited = Object.keys(edits).length > 0;
    const problems = isEdited ? listTaskEditProblems(bounds, step.task, tasks) : [];
    if (problems.length > 0) throw badTaskEditError(task, problems, 'git flame validate');
    return { steps: withdrawTasks(tasks, [step], at), body: failureReason };
  });
}

/** Lists problems of a task that is sent back with these changes, as it and the others are now. */
export async function listRequeueEditProblems(
  context: RecordContext & LockFactsReader,
  session: SessionId,
  id: string,
  edit: RequeueEdit,
): Promise<readonly string[]> {
  const bounds = await readPlanBoundsOfSession(context, session);
  const { tasks } = await viewSession(context, session);
  const task = requireTaskInView({ tasks }, id);
  const { description = task.description, file_locks = task.file_locks } = edit;
  return listTaskEditProblems(bounds, { ...task, description, file_locks: [...file_locks] }, tasks);
}

/** Fails a task that no validator could judge and the person gave up on, and blocks what depends on it. */
export async function failUnvalidatedTask(
  context: RecordContext,
  session: SessionId,
  id: string,
  reason: string,
): Promise<void> {
  const at = timestamp(context);
  await decideAndRecord(context, session, (view) => {
    const task = requireTaskInView(view, id);
    if (task.status !== 'done') return null;
    const message = `No validator could judge it: ${reason}`;
    const failure = { kind: 'malformed-answer', message, details: [], retryable: false } as const;
    return { steps: withdrawTasks(view.tasks, [failTask(task, { failure, at, cost: 0, tokens: 0 })], at) };
  });
}
