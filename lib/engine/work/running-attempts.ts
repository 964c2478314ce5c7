/** Steps that an attempt reports as it goes on, before its end. */
export interface AttemptProgress {
  /** Resolves once a place is there for one more of its agents; it began with some. */
  takePlace(): Promise<void>;
  /** No more than so many of its agents will have one. */
  needPlaces(count: number): void;
  /** An agent is gone: the next one may begin while its work is judged. */
  onAgentOver(): void;
  /** Its outcome is recorded; what is left is to clear up. */
  onRecorded(): void;
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
  #onStep: () => void = () => undefined;

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
    const onRecorded = (): void => this.wake();
    const ended = work({ takePlace, needPlaces, onAgentOver, onRecorded })
      .catch((error: unknown) => void this.failures.push(error))
      .finally(() => {
        this.#running.delete(task);
        this.wake();
      });
    const attempt: Attempt = { ended, places, taken: 0, waiting: [] };
    this.#running.set(task, attempt);
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
    return new Promise((resolve) => {
      this.#onStep = resolve;
    });
  }

  /** Ends the wait for a step. */
  wake(): void {
    this.#onStep();
  }

  /** Resolves when all have ended. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }
}
