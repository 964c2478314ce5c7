import type { Task } from '../../domain/state/task-schema.ts';
import { readStackState } from '../task/stack-state.ts';
import { claimTask } from '../task/task-attempt.ts';
import { makeRequeuedTaskPending } from '../task/task-outcome.ts';
import type { TaskChange } from '../task/task-state.ts';
import { isTaskClaimable, nameTaskHolder } from './claimable-tasks.ts';
import { findSharedLock, LockIndex } from './shared-locks.ts';

/**
 * Why a task can't be claimed by hand, as the end of a sentence; null when it can. A backoff is for agents,
 * and what failed or was sent back may be taken up. `limit`: how many may work at once; Infinity for no
 * limit.
 */
export function whyNotClaimableByHand(task: Task, tasks: readonly Task[], limit: number): string | null {
  // First, since most of many tasks that are asked for are claimed by then.
  if (!isTaskClaimable(task)) return describeStatus(task);
  const busy = tasks.filter(({ status }) => status === 'claimed');
  const find = (): Shared | null => {
    for (const other of busy) {
      const lock = findSharedLock(task, other);
      if (lock !== null) return { lock, other };
    }
    return null;
  };
  return objection(task, { tasks, limit, claimed: busy.length, find });
}

type Shared = NonNullable<ReturnType<LockIndex<Task>['find']>>;

interface Beside {
  readonly tasks: readonly Task[];
  readonly limit: number;
  readonly claimed: number;
  readonly find: (task: Task) => Shared | null;
}

function objection(task: Task, { tasks, limit, claimed, find }: Beside): string | null {
  if (!isTaskClaimable(task)) return describeStatus(task);
  const open = unmet(task, tasks);
  if (open.length > 0) return `needs ${open.join(', ')} first`;
  if (claimed >= limit) return `would exceed the limit of ${limit} tasks at once (concurrency.development)`;
  const shared = find(task);
  return shared === null ? null : `shares ${shared.lock} with ${shared.other.id}, which is claimed`;
}

/** Checks claims of many tasks, one after the other: each task claimed meanwhile is added, and may block the next. */
export class ManualClaimChecker {
  readonly #tasks: readonly Task[];
  readonly #limit: number;
  readonly #busy: LockIndex<Task>;
  #claimed: number;

  constructor(tasks: readonly Task[], limit: number) {
    this.#tasks = tasks;
    this.#limit = limit;
    const busy = tasks.filter(({ status }) => status === 'claimed');
    this.#busy = new LockIndex(busy);
    this.#claimed = busy.length;
  }

  objectionTo(task: Task): string | null {
    const find = (one: Task): Shared | null => this.#busy.find(one);
    return objection(task, { tasks: this.#tasks, limit: this.#limit, claimed: this.#claimed, find });
  }

  /** A task that is claimed now; its dependencies are what they were. */
  add(task: Task): void {
    this.#busy.add(task);
    this.#claimed += 1;
  }
}

/** The changes by which a person claims a task: one that failed or was sent back is pending again first. */
export function makeManualClaimChanges(
  task: Task,
  claim: Omit<Parameters<typeof claimTask>[1], 'agentId'>,
): readonly TaskChange[] {
  const restarted = task.status === 'pending' ? [] : [makeRequeuedTaskPending(task)];
  const free = restarted[0]?.task ?? task;
  return [...restarted, claimTask(free, { ...claim, agentId: null })];
}

function unmet({ dependencies }: Task, tasks: readonly Task[]): readonly string[] {
  if (dependencies.length === 0) return [];
  const stackState = readStackState(tasks);
  const isFinished = (other: Task): boolean =>
    other.status === 'merged' || (other.status === 'done' && !stackState.waits(other));
  return dependencies.filter((id) => !tasks.some((other) => other.id === id && isFinished(other)));
}

function describeStatus(task: Task): string {
  if (task.status === 'claimed') return `is claimed by ${nameTaskHolder(task)}`;
  return task.status === 'blocked' ? `is blocked: ${task.reason ?? ''}` : `is ${task.status}`;
}

// Part of the free tasks before any other process was met: eight may be starting. And no less than so many.
const firstPart = 1 / 8;
const leastFirst = 16;
// Most tasks per transaction where others may wait meanwhile, and where no other process claims.
const mostBeside = 64;
const mostAlone = 128;

/**
 * How many tasks a process that claims many takes in one transaction. Beside others it is its part of what was free
 * when it began: each has a turn then, and none gets a multiple of what another gets. Alone it is twice as many each
 * time, for less is lost to a race.
 */
export class ClaimBatchSize {
  readonly #claimedAtFirst: number;
  #claimedBefore: number;
  #own = 0;
  /** 0: nothing was claimed yet. */
  #last = 0;

  /** `tasks`: those of the session, when the first of them was asked for. */
  constructor(tasks: readonly Task[]) {
    this.#claimedAtFirst = countClaimed(tasks);
    this.#claimedBefore = this.#claimedAtFirst;
  }

  /** At least one. `waiting`: how many others wait for their turn. */
  next(tasks: readonly Task[], waiting: number): number {
    const [free, claimed] = [tasks.filter(isTaskClaimable).length, countClaimed(tasks)];
    const isAlone = this.#last > 0 && claimed === this.#claimedBefore;
    if (waiting > 0) this.#last = this.#beside(free, claimed, waiting);
    else if (isAlone) this.#last = Math.min(mostAlone, this.#last * 2);
    else this.#last = Math.min(mostBeside, Math.max(leastFirst, Math.ceil(free * firstPart)));
    return this.#last;
  }

  /** Records how many tasks were claimed in a turn, and the tasks after it. */
  took(count: number, tasks: readonly Task[]): void {
    this.#own += count;
    this.#claimedBefore = countClaimed(tasks);
  }

  #beside(free: number, claimed: number, waiting: number): number {
    const all = free + Math.max(0, claimed - this.#claimedAtFirst);
    const part = Math.ceil(all / (waiting + 1));
    // A process that has had its part takes little of the rest.
    return Math.min(mostBeside, Math.max(part - this.#own, Math.ceil(part / 8), 1));
  }
}

function countClaimed(tasks: readonly Task[]): number {
  return tasks.filter(({ status }) => status === 'claimed').length;
}
