import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Gives the turn back; never throws. */
export type Leave = () => Promise<void>;

// Longer than any transaction takes; what a killed holder costs the others at most, twice.
const patienceMs = 700;
// The least proper-lockfile takes before a lock without signs of life may be taken over.
const staleMs = 2_000;
// Between two looks whether the turn is free; about as long as a turn takes.
const pauseMs = 4;

/**
 * The queue between processes that compete for the state refs. It orders, it doesn't protect: compare-and-swap
 * does. So a turn that doesn't come soon is simply taken.
 */
export class WriteQueue {
  readonly #path: string;
  #leftAt = 0;

  constructor(commonDir: string) {
    this.#path = join(commonDir, 'blueflame', 'store.lock');
  }

  /** Whether some process has taken a turn: then it's better to queue than to race it. */
  isUsed(): boolean {
    return existsSync(this.#path);
  }

  /** Waits for the turn, at most a second. */
  async enter(): Promise<Leave> {
    // Loaded when first needed: most commands never meet another writer.
    const { lock } = await import('../../util/lockfile.ts');
    mkdirSync(dirname(this.#path), { recursive: true });
    const until = performance.now() + patienceMs * (1 + Math.random() / 2);
    // Whoever has just had a turn would be the first to see it free again, and the others would starve.
    if (performance.now() - this.#leftAt < pauseMs) await wait(Math.random() * pauseMs);
    do {
      try {
        const release = await lock(this.#path, {
          lockfilePath: this.#path,
          realpath: false,
          stale: staleMs,
          // Another process took it over because this one stood still; the compare-and-swap still decides.
          onCompromised: () => undefined,
        });
        return async () => {
          await release().catch(() => undefined);
          this.#leftAt = performance.now();
        };
      } catch (error) {
        if (!isTaken(error)) break;
        await wait(Math.random() * pauseMs);
      }
    } while (performance.now() < until);
    return async () => undefined;
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ELOCKED';
}
