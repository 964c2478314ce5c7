/** Steps that an attempt reports as it goes on, before its end. */
export interface AttemptProgress {
  /** Resolves once a place is there for one more of its agents; it began with some. */
  takePlace(): Promise<void>;
  /** No more than so many of its agents will have one. */
  needPlaces(count: number): void;
  /** Does what comes before an agent starts, once that has its turn. */
  open<T>(work: () => Promise<T>): Promise<T>;
  /** An agent is gone, without work to judge. */
  onAgentOver(): void;
  /** An agent is gone: judges its work, once that has its turn. */
  judge<T>(work: () => Promise<T>): Promise<T>;
  /** Its outcome is recorded; what is left is to clear up. */
  onRecorded(): void;
  /** Clears up after an attempt once that has its turn, after tasks that its record unblocked have begun. */
  clearUp(work: () => Promise<void>): Promise<void>;
}

// Starts and judgements keep this process busy half of their time: more at once would make all of them late, and with
// them the tasks that wait. Longer ones mostly wait, for git or for other machines.
const atOnce = 2;
export const longestTurnHoldMs = 200;
// More than any chain is long.
const mostSteps = 1e9;

interface AttemptsOptions {
  /** Number of steps that a task and those that wait for it take, one after the other. */
  readonly chainFrom: (task: string) => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface Attempt {
  readonly ended: Promise<void>;
  /** Places its agents hold, or that are kept for them. */
  places: number;
  taken: number;
  /** Agents that have none yet. */
  readonly waiting: (() => void)[];
}

/** The attempts of a wave: those whose agents have a place, and those whose agents are over. */
export class RunningAttempts {
  /** Errors that attempts threw, in the order they ended. */
  readonly failures: unknown[] = [];
  readonly #running = new Map<string, Attempt>();
  readonly #chainFrom: (task: string) => number;
  readonly #turns: RankedWorkQueue;
  readonly #sleep: AttemptsOptions['sleep'];
  #onStep: () => void = () => undefined;
  /** A look at the state goes on, or will because of a step. */
  #isLooking = false;
  readonly #afterLook: (() => void)[] = [];

  constructor({ chainFrom, sleep }: AttemptsOptions) {
    this.#chainFrom = chainFrom;
    this.#sleep = sleep;
    this.#turns = new RankedWorkQueue({ atOnce, isLong: (ended) => sleep(longestTurnHoldMs, ended) });
  }

  /** Begins an attempt at a task, with places for so many agents. */
  begin(task: string, work: (steps: AttemptProgress) => Promise<void>, places = 1): void {
    const takePlace = async (): Promise<void> => {
      if (attempt.taken < attempt.places) attempt.taken += 1;
      else {
        const given = new Promise<void>((resolve) => attempt.waiting.push(resolve));
        this.wake();
        await given;
      }
    };
    const needPlaces = (count: number): void => {
      attempt.places = Math.min(attempt.places, count);
      this.wake();
    };
    const onAgentOver = (): void => {
      const next = attempt.waiting.shift();
      if (next === undefined) {
        attempt.places -= 1;
        attempt.taken -= 1;
        this.wake();
      } else next();
    };
    const judge = <T>(judging: () => Promise<T>): Promise<T> => {
      onAgentOver();
      return this.#turns.take(() => this.#rankOf('judge', task), judging);
    };
    const open = <T>(opening: () => Promise<T>): Promise<T> =>
      this.#turns.take(() => this.#rankOf('open', task), opening);
    const onRecorded = (): void => this.wake();
    const clearUp = async (clearing: () => Promise<void>): Promise<void> => {
      const looked = new AbortController();
      void this.#looked().then(() => looked.abort('looked'));
      // At most so long: a look may take long, or end with the wave.
      await this.#sleep(longestTurnHoldMs, looked.signal);
      await this.#turns.take(() => mostSteps, clearing);
    };
    const ended = work({ takePlace, needPlaces, onAgentOver, open, judge, onRecorded, clearUp })
      .catch((error: unknown) => void this.failures.push(error))
      .finally(() => {
        this.#running.delete(task);
        this.wake();
      });
    const attempt: Attempt = { ended, places, taken: 0, waiting: [] };
    this.#running.set(task, attempt);
  }

  /** Ranks tasks that others wait for first, then the start of agents, then the other judgements. */
  #rankOf(step: 'judge' | 'open', task: string): number {
    const chain = this.#chainFrom(task);
    if (step === 'open') return mostSteps + chain;
    return chain > 1 ? 2 * mostSteps + chain : chain;
  }

  has(task: string): boolean {
    return this.#running.has(task);
  }

  get names(): readonly string[] {
    return [...this.#running.keys()];
  }

  get size(): number {
    return this.#running.size;
  }

  /** Number of agents with a place. */
  get atWork(): number {
    return [...this.#running.values()].reduce((sum, { places }) => sum + Math.max(0, places), 0);
  }

  /** Number of a task's agents with a place; undefined: no attempt at it runs. */
  placesOf(task: string): number | undefined {
    return this.#running.get(task)?.places;
  }

  /** Gives places that are free to agents that wait for one. */
  give(free: number): void {
    let left = free;
    for (const attempt of this.#running.values())
      for (; left > 0 && attempt.waiting.length > 0; left -= 1) {
        attempt.places += 1;
        attempt.taken += 1;
        attempt.waiting.shift()?.();
      }
  }

  /** Tasks whose agents are over, the one that was first to begin first. */
  get over(): readonly string[] {
    return [...this.#running].filter(([, { places }]) => places <= 0).map(([task]) => task);
  }

  /** Resolves with the first step of any attempt from now on: ask for it before looking at how things stand. */
  nextStep(): Promise<void> {
    this.#isLooking = true;
    return new Promise((resolve) => {
      this.#onStep = resolve;
    });
  }

  /** Ends the wait for a step. */
  wake(): void {
    this.#isLooking = true;
    this.#onStep();
  }

  /** To be called after each look, once what it let begin has begun. */
  onLooked(): void {
    this.#isLooking = false;
    for (const goOn of this.#afterLook.splice(0)) goOn();
  }

  #looked(): Promise<void> {
    return this.#isLooking ? new Promise((resolve) => this.#afterLook.push(resolve)) : Promise.resolve();
  }

  /** Resolves when all have ended; no further look follows. */
  async settled(): Promise<void> {
    this.#onStep = () => this.onLooked();
    this.onLooked();
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }
}

interface Waiting {
  readonly rank: () => number;
  readonly go: () => void;
}

interface TurnsOptions {
  /** Number of works that have their turn at once. */
  readonly atOnce: number;
  /** Resolves when the next one need not wait any longer for one whose work goes on, or once that has ended. */
  readonly isLong: (ended: AbortSignal) => Promise<void>;
}

/** Lets few pieces of work go on at once; of those that wait the one with the highest rank is next, else the first. */
export class RankedWorkQueue {
  readonly #options: TurnsOptions;
  #taken = 0;
  #waiting: readonly Waiting[] = [];

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Does the work when it has its turn. `rank` is asked for again whenever one is free. */
  async take<T>(rank: () => number, work: () => Promise<T>): Promise<T> {
    if (this.#taken < this.#options.atOnce) this.#taken += 1;
    else await this.#free(rank);
    const ended = new AbortController();
    const isOver = this.#options.isLong(ended.signal).then(() => this.#leave());
    try {
      return await work();
    } finally {
      // Without a reason an error would be made for it, which costs more than all the rest of a turn.
      ended.abort('ended');
      await isOver;
    }
  }

  #free(rank: () => number): Promise<void> {
    return new Promise((go) => {
      this.#waiting = [...this.#waiting, { rank, go }];
    });
  }

  /** Hands the turn on. */
  #leave(): void {
    const ranks = this.#waiting.map(({ rank }) => rank());
    const next = this.#waiting[ranks.indexOf(Math.max(...ranks))];
    if (next === undefined) this.#taken -= 1;
    this.#waiting = this.#waiting.filter((one) => one !== next);
    next?.go();
  }
}
