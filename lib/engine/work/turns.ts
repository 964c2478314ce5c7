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
