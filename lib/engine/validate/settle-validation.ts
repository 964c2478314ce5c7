import { withdraw } from '../../core/task/cascade.ts';
import { failTask } from '../../core/task/task-attempt.ts';
import { dropTask, requeueNotes, requeueTask } from '../../core/task/task-outcome.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { RequeueEdit, ValidationDecision } from '../../domain/ports/gates.ts';
import { badEdit, boundsOf, editProblems } from '../edit-task.ts';
import type { GroundReader } from '../lock-detours.ts';
import { type Recorder, record, taskOf, viewSession } from '../record.ts';
import { timestamp } from '../workshop.ts';

/** Does what the person decided about a task whose verdict is fail. */
export async function applyValidation(
  workshop: Recorder & GroundReader,
  session: SessionId,
  id: string,
  decision: Exclude<ValidationDecision, { readonly kind: 'pass' | 'choose' | 'recheck' }>,
): Promise<void> {
  const at = timestamp(workshop);
  const bounds = await boundsOf(workshop, session);
  await record(workshop, session, ({ tasks, ...view }) => {
    const task = taskOf({ ...view, tasks }, id);
    if (task.status !== 'done') return null;
    if (decision.kind === 'drop') {
      const reason = decision.reason ?? `dropped by ${workshop.gates.person.split(' <')[0]}`;
      return { steps: withdraw(tasks, [dropTask(task, { reason })], at) };
    }
    const { notes, description, file_locks, keep = false } = decision;
    const edits = {
      ...(description === undefined ? {} : { description }),
      ...(file_locks === undefined ? {} : { file_locks }),
    };
    const told = requeueNotes(notes, task.result);
    const step = requeueTask(task, {
      kind: 'validation_failed',
      reason: notes,
      notes: told,
      at,
      keep,
      ...edits,
    });
    const isEdited = Object.keys(edits).length > 0;
    const problems = isEdited ? editProblems(bounds, step.task, tasks) : [];
    if (problems.length > 0) throw badEdit(task, problems, 'git flame validate');
    return { steps: withdraw(tasks, [step], at), body: told };
  });
}

/** Lists problems of a task that is sent back with these changes, as it and the others are now. */
export async function requeueProblems(
  workshop: Recorder & GroundReader,
  session: SessionId,
  id: string,
  edit: RequeueEdit,
): Promise<readonly string[]> {
  const bounds = await boundsOf(workshop, session);
  const { tasks } = await viewSession(workshop, session);
  const task = taskOf({ tasks }, id);
  const { description = task.description, file_locks = task.file_locks } = edit;
  return editProblems(bounds, { ...task, description, file_locks: [...file_locks] }, tasks);
}

/** Fails a task that no validator could judge and the person gave up on, and blocks what depends on it. */
export async function failUnvalidated(
  workshop: Recorder,
  session: SessionId,
  id: string,
  reason: string,
): Promise<void> {
  const at = timestamp(workshop);
  await record(workshop, session, (view) => {
    const task = taskOf(view, id);
    if (task.status !== 'done') return null;
    const message = `No validator could judge it: ${reason}`;
    const failure = { kind: 'malformed-answer', message, details: [], retryable: false } as const;
    return { steps: withdraw(view.tasks, [failTask(task, { failure, at, cost: 0, tokens: 0 })], at) };
  });
}
