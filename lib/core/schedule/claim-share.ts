import type { Task } from '../../domain/state/task.ts';
import { isFree } from './task-holder.ts';

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
export class ClaimShare {
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
    const [free, claimed] = [tasks.filter(isFree).length, countClaimed(tasks)];
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
