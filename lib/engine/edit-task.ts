import { handDecisions } from '../core/admission/decisions.ts';
import { transitiveDependents } from '../core/task/needs-of.ts';
import { applyEdit, planOf, type TaskPlan } from '../core/task/task-keys.ts';
import { badTask } from '../domain/bad-input.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { SessionId } from '../domain/ids.ts';
import { changedMeanwhile } from '../domain/meanwhile.ts';
import type { Task } from '../domain/state/task.ts';
import type { PlanKey } from '../domain/state/task-facts.ts';
import type { GroundReader } from './lock-detours.ts';
import { describeProblem, type PlanBounds, problemsBeside, readBounds } from './plan-problems.ts';
import { type Recorder, record, taskOf, viewSession } from './record.ts';

interface EditedTask {
  readonly task: Task;
  readonly changed: readonly PlanKey[];
}

/**
 * Changes the plan of a task that no agent works on. Other changes made to it meanwhile stay; where both
 * changed the same key, nothing changes. Throws FlameErrors `task-not-editable`, `bad-task`,
 * `changed-meanwhile`.
 */
export async function editTask(
  workshop: Recorder & GroundReader,
  session: SessionId,
  edit: { readonly before: TaskPlan; readonly after: TaskPlan },
): Promise<EditedTask> {
  let changed: readonly PlanKey[] = [];
  const { before, after } = edit;
  const bounds = await boundsOf(workshop, session);
  let task: Task | undefined;
  const done = await record(workshop, session, (view) => {
    const now = taskOf(view, before.id);
    requireEditable(now);
    const result = applyEdit(now, before, after);
    ({ changed, task } = result);
    if (result.clashes.length > 0) throw clash(now, result.clashes);
    if (changed.length === 0) return null;
    const problems = editProblems(bounds, result.task, view.tasks);
    if (problems.length > 0) throw badEdit(now, problems, `git flame task edit ${now.id}`);
    const subject = `${now.id}: ${changed.join(', ')} changed by ${workshop.gates.person}`;
    const step = { task: result.task, subject, transition: `${now.status} -> ${now.status}` };
    return { steps: [step], accepted: handDecisions(result.task) };
  });
  if (task === undefined) throw new Error('nothing was decided');
  return { task: done.kind === 'done' ? taskOf(done.view, before.id) : task, changed };
}

/** Bounds that tasks of a session must keep to. */
export async function boundsOf(workshop: Recorder & GroundReader, id: SessionId): Promise<PlanBounds> {
  const { session } = await viewSession(workshop, id);
  return readBounds(workshop, session.base_commit);
}

/** Lists problems of a task beside the others as they are. */
export function editProblems(bounds: PlanBounds, task: Task, tasks: readonly Task[]): readonly string[] {
  const others = tasks.filter(({ id }) => id !== task.id).map(({ id }) => id);
  const problems = problemsBeside(bounds, { tasks: [planOf(task)] }, others).map(describeProblem);
  const dependents = transitiveDependents(tasks, [task.id]);
  const circular = task.dependencies.filter((id) => dependents.has(id));
  return [...problems, ...circular.map((id) => `${task.id}: depends on ${id}, which depends on it`)];
}

/** Throws FlameError `task-not-editable` for a task that is being worked on, or was. */
export function requireEditable({ id, status }: Task): void {
  if (status === 'pending' || status === 'blocked' || status === 'requeued' || status === 'failed') return;
  throw new FlameError({
    kind: 'refused',
    code: 'task-not-editable',
    message: `${id} is ${status}: what was asked of it can't be changed any more.`,
    hints: status === 'claimed' ? [`git flame task release ${id}`] : [`git flame task show ${id}`],
  });
}

function clash({ id }: Task, keys: readonly PlanKey[]): FlameError {
  return changedMeanwhile(
    `Another command changed ${keys.join(' and ')} of ${id} meanwhile, so nothing was changed.`,
    [`git flame task show ${id}`, `git flame task edit ${id}`],
  );
}

/** A FlameError `bad-task`; `again` is how it is tried again. */
export function badEdit({ id }: Task, problems: readonly string[], again: string): FlameError {
  const mistakes = problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`;
  return badTask(`${id} was not changed: it would have ${mistakes}.`, problems, again);
}
