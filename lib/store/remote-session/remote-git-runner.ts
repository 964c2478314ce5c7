import type { FlameError } from '../../domain/flame-error.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import { remoteUnreachable } from '../sync/sync-errors.ts';

// A slow machine has much to start for it.
const firstAnswerMs = 60_000;

/** Runs git on the remote, with a timeout. */
export class RemoteGitRunner {
  readonly #remote: string;
  readonly #git: GitContext;
  readonly #mostMs: number;
  #hasAnswered = false;

  /** `patienceMs`: no answer of the remote is waited for any longer; the first one has a minute at least. */
  constructor(git: GitContext, { remote, patienceMs }: { readonly remote: string; readonly patienceMs: number }) {
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
    // `cause`: `took longer than 15 s`. Nothing is known to have changed.
    const silentError = (cause: string): FlameError => remoteUnreachable(this.#remote, `its answer ${cause}`);
    return {
      ...this.#git,
      guard: { limits: { wallMs, cpuSeconds: 600, memoryMb: 8_192 }, makeError: silentError },
    };
  }
}

/** Pushes that may follow each other at once before the pace holds. */
const burst = 3;

/**
 * Limits how often pushes go: each costs the host and all who share the repository, so waiting changes go along with
 * the next one. Times are milliseconds of a monotonic clock.
 */
export class PushRateLimit {
  readonly #gapMs: number;
  readonly #now: () => number;
  #allowedAt = 0;

  /** `perMinute` is for the whole repository; null: no limit. */
  constructor(perMinute: number | null, now: () => number = () => performance.now()) {
    this.#gapMs = perMinute === null ? 0 : 60_000 / perMinute;
    this.#now = now;
  }

  /** Milliseconds until the next push may go. */
  waitMs(): number {
    return Math.max(0, this.#allowedAt - this.#now());
  }

  /** A push was made; `machines` of them share the pace. */
  pushed(machines: number): void {
    const gap = this.#gapMs * Math.max(1, machines);
    const now = this.#now();
    this.#allowedAt = Math.max(this.#allowedAt, now - (burst - 1) * gap) + gap;
  }
}

/** Recommended limit of a host, by the address of the remote: GitHub recommends six pushes a minute and repository. */
export function recommendPushesPerMinute(url: string): number | null {
  return /(?:^|[@/.])github\.com[:/]/.test(url) ? 6 : null;
}
