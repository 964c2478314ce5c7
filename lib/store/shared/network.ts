import type { FlameError } from '../../domain/flame-error.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import { remoteSilent } from '../sync/errors.ts';

// A slow machine has much to start for it.
const firstAnswerMs = 60_000;

/** Runs git on the remote, with a timeout. */
export class Network {
  readonly #remote: string;
  readonly #git: GitContext;
  readonly #mostMs: number;
  #hasAnswered = false;

  /** `patienceMs`: no answer of the remote is waited for any longer; the first one has a minute at least. */
  constructor(
    git: GitContext,
    { remote, patienceMs }: { readonly remote: string; readonly patienceMs: number },
  ) {
    this.#remote = remote;
    this.#git = git;
    this.#mostMs = patienceMs;
  }

  /** Has git ask the remote; `mostMs` null: it has all the time there is. */
  async run<T>(work: (git: GitContext) => Promise<T>, mostMs: number | null = this.#patienceMs): Promise<T> {
    const result = await work(mostMs === null ? this.#git : this.#within(mostMs));
    this.#hasAnswered = true;
    return result;
  }

  get #patienceMs(): number {
    return this.#hasAnswered ? this.#mostMs : Math.max(this.#mostMs, firstAnswerMs);
  }

  /** A server that accepts and never answers would block git for ever, and with it the heartbeat. */
  #within(wallMs: number): GitContext {
    const told = (cause: string): FlameError => remoteSilent(this.#remote, cause);
    return { ...this.#git, guard: { limits: { wallMs, cpuSeconds: 600, memoryMb: 8_192 }, told } };
  }
}
