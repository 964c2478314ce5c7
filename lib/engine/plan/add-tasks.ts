import { listAdapterDecisions } from '../../core/admission/make-decisions.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import { parseTaskId, type SessionId, type TaskId } from '../../domain/ids.ts';
import { badTaskError } from '../../domain/input-errors.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { PlannedTask } from '../../domain/state/plan-schema.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { requireNoIssueScripts } from '../issue-for-script.ts';
import { describePlanProblem, listProblemsBesideTasks, readPlanBoundsAtCommit } from '../plan-problems.ts';
import { type RunContext, timestamp } from '../run-context.ts';
import { makeEmptySession } from '../session/create-session.ts';
import { findBaseBranch } from '../work/preflight.ts';
import { makeTaskOfPlannedTask } from './turn-plan-into-tasks.ts';

/** A task as a person adds it; without an id it gets the next free one. */
export type NewTask = Omit<PlannedTask, 'id'> & {
  readonly id: TaskId | null;
  /** The address of the issue it was made of. */
  readonly source?: string;
};

interface AddedTasks {
  readonly session: Session;
  readonly tasks: readonly Task[];
  /** Whether the session was made for them. */
  readonly isNewSession: boolean;
}

/**
 * Adds tasks to an open session; without one, makes a session with them as its plan in the same transaction.
 * A run in progress picks them up. Throws FlameErrors `bad-task`, `session-ended` and `issue-as-script`.
 */
export async function addTasks(
  context: RunContext,
  wanted: SessionId | null,
  added: readonly NewTask[],
): Promise<AddedTasks> {
  requireNoIssueScripts(context, added);
  const base = await findBaseBranch(context);
  const id = context.newSessionId();
  const startCommit = openSession(await context.store.snapshot(), wanted)?.base_commit ?? base.commit;
  const bounds = await readPlanBoundsAtCommit(context, startCommit);
  let done: AddedTasks | undefined;
  const result = await context.store.transact((snapshot) => {
    const open = openSession(snapshot, wanted);
    const at = timestamp(context);
    const existing = open === null ? [] : snapshot.tasksOf(open.id);
    // A plan that is still to come begins with task-001.
    const planned = withIds(added, existing, open?.wave === 'plan' ? 'hand' : 'task');
    const problems = listProblemsBesideTasks(
      bounds,
      { tasks: planned },
      existing.map((task) => task.id),
    );
    if (problems.length > 0) throw nothingAdded(problems.map(describePlanProblem));
    // Its plan is what was added by hand: no question is asked about it.
    const byHand = { cycle: 1, wave: 'work' } as const;
    const session = open ?? { ...makeEmptySession(context, id, objectiveOf(added), base), ...byHand };
    const view = { session, tasks: existing };
    const tasks = planned.map((task, index) => ({
      ...makeTaskOfPlannedTask(context, view, task, at),
      ...(added[index]?.source === undefined ? {} : { source: added[index].source }),
    }));
    done = { session, tasks, isNewSession: open === null };
    const what = tasks.length === 1 ? `${tasks[0]?.id}` : `${tasks.length} tasks`;
    const subject = `${what}: added by ${context.gates.person}`;
    const started = { subject: `session: started on ${base.branch} with a person's task`, session };
    return {
      changes: [...(open === null ? [started] : []), { subject, tasks, transition: 'none -> pending' }],
      accepted: tasks.flatMap(listAdapterDecisions),
      actor: context.gates.person,
    };
  });
  if (done === undefined || result.kind !== 'done') throw new Error('nothing was added');
  if (done.isNewSession) reportNewSession(context, done.session);
  // As stored: the store sets some of it.
  const stored = new Map(result.snapshot.tasksOf(done.session.id).map((task) => [task.id, task]));
  return { ...done, tasks: done.tasks.map((task) => stored.get(task.id) ?? task) };
}

/** The session named, else the current one unless it has ended. */
function openSession({ sessions, current }: Snapshot, wanted: SessionId | null): Session | null {
  const session = wanted === null ? current : (sessions.find(({ id }) => id === wanted) ?? null);
  if (session?.state !== 'ended') return session;
  if (wanted === null) return null;
  throw refusedError('session-ended', `Session ${session.id} has ended: no task can be added to it.`, [
    'git flame task add TITLE --locks PATH',
  ]);
}

function objectiveOf(added: readonly NewTask[]): string {
  const [first] = added;
  return added.length === 1 && first !== undefined ? first.title : `${added.length} added tasks`;
}

function withIds(added: readonly NewTask[], existing: readonly Task[], prefix: string): readonly PlannedTask[] {
  const taken = [...existing.map(({ id }) => id), ...added.flatMap(({ id }) => id ?? [])];
  const numbers = taken.map((id) => (id.startsWith(`${prefix}-`) ? Number(id.slice(prefix.length + 1)) : 0));
  let last = Math.max(0, ...numbers.filter(Number.isSafeInteger));
  return added.map((task) => {
    if (task.id !== null) return { ...task, id: task.id };
    last += 1;
    return { ...task, id: parseTaskId(`${prefix}-${String(last).padStart(3, '0')}`) };
  });
}

function reportNewSession(context: Pick<RunContext, 'events'>, { id, objective, base_branch }: Session): void {
  context.events.emit({ event: 'session-started', session: id, objective, base_branch });
}

function nothingAdded(problems: readonly string[]): FlameError {
  const mistakes = problems.length === 1 ? 'the task has a mistake' : `the tasks have ${problems.length} mistakes`;
  return badTaskError(`Nothing was added: ${mistakes}.`, problems, 'git flame help task');
}
