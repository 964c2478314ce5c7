import type { Task } from '../../domain/state/task.ts';
import { readGround } from '../task/needs-of.ts';
import { claimTask } from '../task/task-attempt.ts';
import { restartTask } from '../task/task-return.ts';
import type { TaskChange } from '../task/task-state.ts';
import { LockIndex } from './lock-index.ts';
import { sharedLock } from './shared-lock.ts';
import { holderOf, isFree } from './task-holder.ts';

/**
 * Why a task can't be claimed by hand, as the end of a sentence; null when it can. A backoff is for agents,
 * and what failed or was sent back may be taken up. `limit`: how many may work at once; Infinity for no
 * limit.
 */
export function claimObjection(task: Task, tasks: readonly Task[], limit: number): string | null {
  // First, since most of many tasks that are asked for are claimed by then.
  if (!isFree(task)) return describeStatus(task);
  const busy = tasks.filter(({ status }) => status === 'claimed');
  const find = (): Shared | null => {
    for (const other of busy) {
      const lock = sharedLock(task, other);
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
  if (!isFree(task)) return describeStatus(task);
  const open = unmet(task, tasks);
  if (open.length > 0) return `needs ${open.join(', ')} first`;
  if (claimed >= limit) return `would be one too many: ${limit} may work at once (concurrency.development)`;
  const shared = find(task);
  return shared === null ? null : `shares ${shared.lock} with ${shared.other.id}, which is being worked on`;
}

/** Checks claims of many tasks, one after the other: each task claimed meanwhile is added, and may block the next. */
export class ClaimRules {
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
export function takeByHand(
  task: Task,
  claim: Omit<Parameters<typeof claimTask>[1], 'agentId'>,
): readonly TaskChange[] {
  const restarted = task.status === 'pending' ? [] : [restartTask(task)];
  const free = restarted[0]?.task ?? task;
  return [...restarted, claimTask(free, { ...claim, agentId: null })];
}

function unmet({ dependencies }: Task, tasks: readonly Task[]): readonly string[] {
  if (dependencies.length === 0) return [];
  const ground = readGround(tasks);
  const isFinished = (other: Task): boolean =>
    other.status === 'merged' || (other.status === 'done' && !ground.waits(other));
  return dependencies.filter((id) => !tasks.some((other) => other.id === id && isFinished(other)));
}

function describeStatus(task: Task): string {
  if (task.status === 'claimed') return `is claimed by ${holderOf(task)}`;
  return task.status === 'blocked' ? `is blocked: ${task.reason ?? ''}` : `is ${task.status}`;
}
