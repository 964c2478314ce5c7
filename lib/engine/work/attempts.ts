/** What an attempt tells of as it goes on, beside its end. */
export interface AttemptSteps {
  /** Resolves once a place is there for one more of its agents; it began with some. */
  takePlace(): Promise<void>;
  /** No more than so many of its agents will have one. */
  needPlaces(count: number): void;
  /** Does what comes before an agent starts, once that has its turn. */
  open<T>(work: () => Promise<T>): Promise<T>;
  /** An agent is gone, and nothing of it is to be judged. */
  onAgentOver(): void;
  /** The same for one whose work is to be judged, once that has its turn. */
  judge<T>(work: () => Promise<T>): Promise<T>;
  /** Its outcome is recorded; what is left is to clear up. */
  onRecorded(): void;
  /** Clears up, which nobody waits for: after what was recorded by now has let others begin, once that has its turn. */
  clearUp(work: () => Promise<void>): Promise<void>;
}

// What begins and what is judged keeps this process busy half of its time: of more at once all would be late, and
// with them what others wait for. What takes longer mostly waits itself, for git or for other machines.
const atOnce = 2;
export const longMs = 200;
// More than any chain is long.
const mostSteps = 1e9;

interface AttemptsOptions {
  /** How many steps a task and those that wait for it take, one after the other. */
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
export class Attempts {
  /** What attempts threw, in the order they ended. */
  readonly failures: unknown[] = [];
  readonly #running = new Map<string, Attempt>();
  readonly #chainFrom: (task: string) => number;
  readonly #turns: Turns;
  readonly #sleep: AttemptsOptions['sleep'];
  #onStep: () => void = () => undefined;
  /** How things stand is looked at, or will be because of a step. */
  #isLooking = false;
  readonly #afterLook: (() => void)[] = [];

  constructor({ chainFrom, sleep }: AttemptsOptions) {
    this.#chainFrom = chainFrom;
    this.#sleep = sleep;
    this.#turns = new Turns({ atOnce, isLong: (ended) => sleep(longMs, ended) });
  }

  /** Begins an attempt at a task, with places for so many agents. */
  begin(task: string, work: (steps: AttemptSteps) => Promise<void>, places = 1): void {
    const takePlace = async (): Promise<void> => {
      if (attempt.taken < attempt.places) attempt.taken += 1;
      else {
        const given = new Promise<void>((resolve) => attempt.waiting.push(resolve));
        this.tell();
        await given;
      }
    };
    const needPlaces = (count: number): void => {
      attempt.places = Math.min(attempt.places, count);
      this.tell();
    };
    const onAgentOver = (): void => {
      const next = attempt.waiting.shift();
      if (next === undefined) {
        attempt.places -= 1;
        attempt.taken -= 1;
        this.tell();
      } else next();
    };
    const judge = <T>(judging: () => Promise<T>): Promise<T> => {
      onAgentOver();
      return this.#turns.take(() => this.#rankOf('judge', task), judging);
    };
    const open = <T>(opening: () => Promise<T>): Promise<T> =>
      this.#turns.take(() => this.#rankOf('open', task), opening);
    const onRecorded = (): void => this.tell();
    const clearUp = async (clearing: () => Promise<void>): Promise<void> => {
      const looked = new AbortController();
      void this.#looked().then(() => looked.abort('looked'));
      // Whatever keeps a look from its end, or ends the wave in the midst of it.
      await this.#sleep(longMs, looked.signal);
      await this.#turns.take(() => mostSteps, clearing);
    };
    const ended = work({ takePlace, needPlaces, onAgentOver, open, judge, onRecorded, clearUp })
      .catch((error: unknown) => void this.failures.push(error))
      .finally(() => {
        this.#running.delete(task);
        this.tell();
      });
    const attempt: Attempt = { ended, places, taken: 0, waiting: [] };
    this.#running.set(task, attempt);
  }

  /** What others wait for is judged first, then agents start, and the rest is judged when there is time. */
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

  /** How many agents have a place. */
  get atWork(): number {
    return [...this.#running.values()].reduce((sum, { places }) => sum + Math.max(0, places), 0);
  }

  /** How many of a task's agents do; undefined: no attempt at it runs. */
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
  tell(): void {
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

  /** Resolves when all have ended; nobody looks any more. */
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
  /** How many have their turn at once. */
  readonly atOnce: number;
  /** Resolves when the next one need not wait any longer for one whose work goes on, or once that has ended. */
  readonly isLong: (ended: AbortSignal) => Promise<void>;
}

/** Lets few pieces of work go on at once; of those that wait the one with the highest rank is next, else the first. */
export class Turns {
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
