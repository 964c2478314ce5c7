import type { Changeset } from '../domain/changeset.ts';
import type { Session } from '../domain/session.ts';
import type { Task } from '../domain/task.ts';
import { unreachable } from '../util/unreachable.ts';

/** What a session needs next; derived from its notes alone, so that going on after a stop is the same as going on. */
export type Action =
  | { readonly kind: 'plan' }
  | { readonly kind: 'work' }
  | { readonly kind: 'validate' }
  | { readonly kind: 'merge' }
  | { readonly kind: 'review' }
  /** A cycle is over and work is left: a person decides. */
  | { readonly kind: 'end-cycle' }
  | { readonly kind: 'end'; readonly reason: string };

export interface SessionState {
  readonly session: Session;
  readonly tasks: readonly Task[];
  readonly maxCycles: number;
}

/** The next action of a session: work before validation before merging before review, then the next cycle. */
export function nextAction({ session, tasks, maxCycles }: SessionState): Action {
  if (session.state === 'ended') return { kind: 'end', reason: 'the session has ended' };
  if (session.wave === 'plan') return { kind: 'plan' };
  if (tasks.some(isWorkLeft(tasks))) return { kind: 'work' };
  if (tasks.some(needsValidation)) return { kind: 'validate' };
  const current = changesetsOfCycle(session);
  if (current.some((changeset) => changeset.state === 'waiting' || changeset.state === 'approved'))
    return { kind: 'review' };
  if (mergeable(tasks, current).length > 0) return { kind: 'merge' };
  if (!tasks.some(isOpen)) return { kind: 'end', reason: endReason(tasks) };
  if (session.cycle >= maxCycles)
    return { kind: 'end', reason: `the limit of ${maxCycles} wave cycles is reached` };
  return { kind: 'end-cycle' };
}

/** The changesets built in the session's current cycle. */
export function changesetsOfCycle(session: Session): readonly Changeset[] {
  return session.changesets.filter(
    (changeset) => changeset.id.startsWith(`${session.cycle}-`) && changeset.state !== 'void',
  );
}

/** Tasks with a passing verdict that no changeset of this cycle holds, and whose dependencies let them merge. */
export function mergeable(tasks: readonly Task[], current: readonly Changeset[]): readonly Task[] {
  const held = new Set(current.flatMap((changeset) => changeset.tasks));
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const canMerge = (task: Task): boolean =>
    task.status === 'merged' ||
    (task.status === 'done' && task.result.status === 'pass' && dependenciesOf(task, byId).every(canMerge));
  const isFree = (task: Task): boolean => task.status === 'done' && !held.has(task.id) && canMerge(task);
  const stuck = new Set(
    current.filter((changeset) => changeset.state !== 'landed').flatMap((changeset) => changeset.tasks),
  );
  return tasks.filter(
    (task) => isFree(task) && !dependenciesOf(task, byId).some((dependency) => stuck.has(dependency.id)),
  );
}

/** Whether a task can still change without a person taking it up again. */
export function isOpen(task: Task): boolean {
  switch (task.status) {
    case 'pending':
    case 'claimed':
    case 'done':
    case 'requeued':
      return true;
    case 'failed':
    case 'blocked':
    case 'merged':
    case 'dropped':
      return false;
    default:
      return unreachable(task.status);
  }
}

function dependenciesOf(task: Task, byId: ReadonlyMap<string, Task>): readonly Task[] {
  return task.dependencies.flatMap((id) => byId.get(id) ?? []);
}

// A claim without an agent is picked up too: the work wave releases it first.
function isWorkLeft(tasks: readonly Task[]): (task: Task) => boolean {
  const settled = new Set(
    tasks.filter(({ status }) => status === 'done' || status === 'merged').map(({ id }) => id),
  );
  return (task) =>
    task.status === 'claimed' ||
    (task.status === 'pending' && task.dependencies.every((id) => settled.has(id)));
}

function needsValidation(task: Task): boolean {
  return task.status === 'done' && task.result.status !== 'pass';
}

function endReason(tasks: readonly Task[]): string {
  if (tasks.length === 0) return 'the plan is empty';
  const lost = tasks.filter(({ status }) => status === 'failed' || status === 'blocked').length;
  return lost === 0 ? 'all tasks are settled' : `${lost} of ${tasks.length} tasks failed or are blocked`;
}
