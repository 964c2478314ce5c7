import type { TaskId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { isChangesetOpen } from '../../domain/state/changeset-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { unreachable } from '../../util/unreachable.ts';
import { listNeededTasks, listTasksToRebase, readStackState, type StackState } from '../task/stack-state.ts';

/** The next step of a session; derived from its notes alone, so that a resumed run acts as one that never stopped. */
export type SessionAction =
  | { readonly kind: 'plan' }
  | { readonly kind: 'work' }
  | { readonly kind: 'validate' }
  | { readonly kind: 'merge' }
  | { readonly kind: 'review' }
  /** Nothing of this clone's own is left to do before a person says what they think of what was received. */
  | { readonly kind: 'accept' }
  /** Nothing can be done before these tasks are: a person claimed them and works by hand. */
  | { readonly kind: 'wait'; readonly tasks: readonly Task[] }
  /** A cycle is over and work is left: a person decides. */
  | { readonly kind: 'end-cycle' }
  /**
   * Nothing is open, but tasks failed or are blocked, and a cycle is left: a person may have these tried again, or
   * planned again. Where no person can be asked, the session ends.
   */
  | { readonly kind: 'left-over'; readonly reason: string }
  | { readonly kind: 'end'; readonly reason: string };

interface SessionState {
  readonly session: Session;
  readonly tasks: readonly Task[];
  /** Open tasks that were only received; none by default. */
  readonly received?: readonly Task[];
  /** Whether the session itself counts here; it does by default. */
  readonly isOurs?: boolean;
  readonly maxCycles: number;
  /**
   * Whether a task could be started beside those that are claimed; see canAnyTaskStart. By default dependencies
   * alone count.
   */
  readonly canStart?: (tasks: readonly Task[]) => boolean;
  /** No further agent may start on a task: finished work continues, and then a person decides. */
  readonly isWindingDown?: boolean;
}

/** The next action of a session: work before validation before merging before review, then the next cycle. */
export function chooseNextAction(state: SessionState): SessionAction {
  const { session, tasks, maxCycles, canStart = hasReady, isWindingDown = false } = state;
  const { received = [], isOurs = true } = state;
  if (session.state === 'ended') return { kind: 'end', reason: 'the session has ended' };
  if (session.wave === 'plan' || session.proposal !== null) return { kind: 'plan' };
  if (!isOurs) return { kind: 'accept' };
  // An agent's claim is picked up too: the work wave releases it first where its agent is gone.
  const hasAgents = tasks.some((task) => task.status === 'claimed' && !isClaimedByHand(task));
  if (hasAgents || (!isWindingDown && canStart(tasks))) return { kind: 'work' };
  const stackState = readStackState(tasks);
  const current = listChangesetsOfCycle(session);
  const lost = listTasksToRebase(tasks, current);
  if (isLandingLeft(current, lost)) return { kind: 'review' };
  if (tasks.some((task) => doesTaskNeedValidation(task, stackState)) || lost.length > 0) return { kind: 'validate' };
  if (current.some(isChangesetOpen)) return { kind: 'review' };
  if (listMergeableTasks(tasks, current).length > 0) return { kind: 'merge' };
  if (received.length > 0 && !isWindingDown) return { kind: 'accept' };
  const held = tasks.filter(isClaimedByHand);
  if (held.length > 0) return { kind: 'wait', tasks: held };
  if (!tasks.some(isTaskOpen)) {
    const kind = tasks.some(isLost) && session.cycle < maxCycles ? 'left-over' : 'end';
    return { kind, reason: endReason(tasks) };
  }
  const isWorkWaiting = isWindingDown && canStart(tasks);
  if (session.cycle >= maxCycles && !isWorkWaiting)
    return {
      kind: 'end',
      reason: `the limit of ${maxCycles} wave cycle${maxCycles === 1 ? '' : 's'} is reached`,
    };
  return { kind: 'end-cycle' };
}

/**
 * Whether all is decided and some of what was approved has not landed, as a kill between two landings leaves it: that
 * comes first, for what else is put on other ground is put on that.
 */
function isLandingLeft(current: readonly Changeset[], lost: readonly Task[]): boolean {
  if (current.some(({ state }) => state === 'waiting')) return false;
  const left = new Set<string>(current.filter(({ state }) => state === 'approved').flatMap((one) => one.tasks));
  return left.size > 0 && !lost.some(({ id }) => left.has(id));
}

/** The changesets built in the session's current cycle. */
export function listChangesetsOfCycle(session: Session): readonly Changeset[] {
  return session.changesets.filter(
    (changeset) => changeset.id.startsWith(`${session.cycle}-`) && changeset.state !== 'void',
  );
}

/** The id of a group's next changeset in this cycle: tasks that came in later make another one. */
export function makeChangesetId({ cycle, changesets }: Session, group: string): string {
  const taken = new Set(changesets.filter(({ state }) => state !== 'void').map(({ id }) => id));
  const first = `${cycle}-${group}`;
  let id = first;
  for (let n = 2; taken.has(id); n += 1) id = `${first}-${n}`;
  return id;
}

/** Whether a person, or an agent started by hand, works on it: no process of ours ends that. */
export function isClaimedByHand({ status, agent_id }: Task): boolean {
  return status === 'claimed' && agent_id === null;
}

/**
 * Tasks with a passing verdict that no changeset of this cycle holds, and whose needs (see listNeededTasks) let them merge.
 * A group that a person still works on by hand waits until it is whole.
 */
export function listMergeableTasks(tasks: readonly Task[], current: readonly Changeset[]): readonly Task[] {
  const held = new Set(current.flatMap(heldTasks));
  const byId = new Map<string, Task>(tasks.map((task) => [task.id, task]));
  const stackState = readStackState(tasks);
  const merging = new Map<string, boolean>();
  const canMerge = (id: TaskId): boolean => {
    const task = byId.get(id);
    const answer =
      merging.get(id) ??
      (task?.status === 'merged' || (task !== undefined && isPassed(task) && listNeededTasks(task).every(canMerge)));
    merging.set(id, answer);
    return answer;
  };
  const isPassed = (task: Task): boolean =>
    task.status === 'done' && task.result.status === 'pass' && stackState.lost(task).length === 0;
  const isFree = (task: Task): boolean => task.status === 'done' && !held.has(task.id) && canMerge(task.id);
  const stuck = new Set(current.filter((changeset) => changeset.state !== 'landed').flatMap(heldTasks));
  const unfinished = tasks.some(isClaimedByHand)
    ? new Set(tasks.filter(isBeingDone).map((task) => task.cohesion_group))
    : new Set<string>();
  const known = new Map<string, boolean>();
  const isReady = (task: Task): boolean => {
    const answer = known.get(task.id) ?? (isFree(task) && !unfinished.has(task.cohesion_group) && isFounded(task));
    known.set(task.id, answer);
    return answer;
  };
  const isFounded = (task: Task): boolean =>
    listNeededTasks(task).every(
      (id) => byId.get(id)?.status === 'merged' || (!stuck.has(id) && (held.has(id) || isReadyById(id))),
    );
  const isReadyById = (id: TaskId): boolean => {
    const task = byId.get(id);
    return task !== undefined && isReady(task);
  };
  return tasks.filter(isReady);
}

function isBeingDone({ status }: Task): boolean {
  return status === 'claimed' || status === 'pending';
}

/** Whether a task can still change without a person taking it up again. */
export function isTaskOpen({ status }: Task): boolean {
  switch (status) {
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
      return unreachable(status);
  }
}

function hasReady(tasks: readonly Task[]): boolean {
  const stackState = readStackState(tasks);
  const isSettled = (task: Task): boolean =>
    task.status === 'merged' || (task.status === 'done' && !stackState.waits(task));
  const settled = new Set(tasks.filter(isSettled).map(({ id }) => id));
  return tasks.some(({ status, dependencies }) => status === 'pending' && dependencies.every((id) => settled.has(id)));
}

/** Work that waits for other work is judged on top of that. */
export function doesTaskNeedValidation(task: Task, stackState: StackState): boolean {
  return task.status === 'done' && task.result.status !== 'pass' && !stackState.waits(task);
}

function endReason(tasks: readonly Task[]): string {
  if (tasks.length === 0) return 'the plan is empty';
  const lost = tasks.filter(isLost).length;
  if (lost === 0) return 'all tasks are settled';
  if (tasks.length === 1) return tasks[0]?.status === 'blocked' ? 'its only task is blocked' : 'its only task failed';
  return `${lost} of ${tasks.length} tasks failed or are blocked`;
}

function isLost({ status }: Task): boolean {
  return status === 'failed' || status === 'blocked';
}

/** The tasks that no other changeset of the cycle may hold: of one that was rejected in part, those that went back. */
function heldTasks({ tasks, rejected_tasks: part }: Pick<Changeset, 'tasks' | 'rejected_tasks'>): readonly TaskId[] {
  return part ?? tasks;
}
