/** What an attempt tells of as it goes on, beside its end. */
export interface AttemptSteps {
  /** Its agent is gone, its work not judged yet. */
  onAgentOver(): void;
  /** Its outcome is recorded; what is left is to clear up. */
  onRecorded(): void;
}

interface Attempt {
  readonly ended: Promise<void>;
  isAgentOver: boolean;
}

/** The attempts of a wave: those whose agent has a place, and those whose agent is over. */
export class Attempts {
  /** What attempts threw, in the order they ended. */
  readonly failures: unknown[] = [];
  readonly #running = new Map<string, Attempt>();
  #tell: () => void = () => undefined;

  /** Begins an attempt at a task. */
  begin(task: string, work: (steps: AttemptSteps) => Promise<void>): void {
    const onAgentOver = (): void => {
      attempt.isAgentOver = true;
      this.#tell();
    };
    const ended = work({ onAgentOver, onRecorded: () => this.#tell() })
      .catch((error: unknown) => void this.failures.push(error))
      .finally(() => {
        this.#running.delete(task);
        this.#tell();
      });
    const attempt: Attempt = { ended, isAgentOver: false };
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

  /** How many agents have a place. */
  get atWork(): number {
    return this.size - this.over.length;
  }

  /** Tasks whose agent is over, the one that was first to begin first. */
  get over(): readonly string[] {
    return [...this.#running].filter(([, { isAgentOver }]) => isAgentOver).map(([task]) => task);
  }

  /** Resolves with the first step of any attempt from now on: ask for it before looking at how things stand. */
  nextStep(): Promise<void> {
    return new Promise((resolve) => {
      this.#tell = resolve;
    });
  }

  /** Resolves when all have ended. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }
}
