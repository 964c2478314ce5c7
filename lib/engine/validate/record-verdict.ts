import { withdrawTasks } from '../../core/task/cascade.ts';
import { failTask } from '../../core/task/task-attempt.ts';
import { dropTask, judgeTask, requeueNotes, requeueTask } from '../../core/task/task-outcome.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { RequeueEdit, ValidationDecision } from '../../domain/ports/gates.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import type { LockFactsReader } from '../lock-paths.ts';
import { badEdit, editProblems, readPlanBounds } from '../plan-problems.ts';
import { type Recorder, record, taskOf, viewSession } from '../record.ts';
import { timestamp } from '../run-context.ts';
import { needsOverride } from './run-diagnostics.ts';

/** Records a verdict and what follows for its task. */
export async function recordVerdict(context: Recorder, session: SessionId, verdict: Verdict): Promise<void> {
  const done = await record(context, session, (view) => {
    const task = taskOf(view, verdict.task);
    // The branch moved while it was judged: the verdict is about nothing any more.
    if (task.status !== 'done' || task.commit !== verdict.commit) return null;
    return { steps: [judgeTask(task, verdict)], verdict, actor: verdict.by };
  });
  if (done.kind !== 'done') return;
  const { task, commit, status, notes, by } = verdict;
  context.events.emit({ event: 'verdict', task, commit, status, notes, by });
}

/** The error of a pass over what failed without a reason. */
export function needsReason(
  why: string,
  { task, diagnostics }: Pick<Verdict, 'task' | 'diagnostics'>,
): FlameError {
  const message = `${why}. To pass it manually, give a reason.`;
  return needsOverride(message, diagnostics, [`git flame show ${task} --diff`, 'git flame validate']);
}

/** Does what the person decided about a task whose verdict is fail. */
export async function applyValidation(
  context: Recorder & LockFactsReader,
  session: SessionId,
  id: string,
  decision: Exclude<ValidationDecision, { readonly kind: 'pass' | 'choose' | 'recheck' }>,
): Promise<void> {
  const at = timestamp(context);
  const bounds = await readPlanBounds(context, session);
  await record(context, session, ({ tasks, ...view }) => {
    const task = taskOf({ ...view, tasks }, id);
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
    const failureReason = requeueNotes(notes, task.result);
    const step = requeueTask(task, {
      kind: 'validation_failed',
      reason: notes,
      notes: failureReason,
      at,
      keep,
      ...edits,
    });
    const isEdited = Object.keys(edits).length > 0;
    const problems = isEdited ? editProblems(bounds, step.task, tasks) : [];
    if (problems.length > 0) throw badEdit(task, problems, 'git flame validate');
    return { steps: withdrawTasks(tasks, [step], at), body: failureReason };
  });
}

/** Lists problems of a task that is sent back with these changes, as it and the others are now. */
export async function requeueProblems(
  context: Recorder & LockFactsReader,
  session: SessionId,
  id: string,
  edit: RequeueEdit,
): Promise<readonly string[]> {
  const bounds = await readPlanBounds(context, session);
  const { tasks } = await viewSession(context, session);
  const task = taskOf({ tasks }, id);
  const { description = task.description, file_locks = task.file_locks } = edit;
  return editProblems(bounds, { ...task, description, file_locks: [...file_locks] }, tasks);
}

/** Fails a task that no validator could judge and the person gave up on, and blocks what depends on it. */
export async function failUnvalidated(
  context: Recorder,
  session: SessionId,
  id: string,
  reason: string,
): Promise<void> {
  const at = timestamp(context);
  await record(context, session, (view) => {
    const task = taskOf(view, id);
    if (task.status !== 'done') return null;
    const message = `No validator could judge it: ${reason}`;
    const failure = { kind: 'malformed-answer', message, details: [], retryable: false } as const;
    return { steps: withdrawTasks(view.tasks, [failTask(task, { failure, at, cost: 0, tokens: 0 })], at) };
  });
}
