/** Pushes that may follow each other at once before the pace holds. */
const burst = 3;

/**
 * Limits how often pushes go: each costs the host and all who share the repository, so waiting changes go along with
 * the next one. Times are milliseconds of a monotonic clock.
 */
export class Pace {
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
export function pushesPerMinute(url: string): number | null {
  return /(?:^|[@/.])github\.com[:/]/.test(url) ? 6 : null;
}
