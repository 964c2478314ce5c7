import type { FlameError } from '../../domain/flame-error.ts';
import { mayPass } from './remote-exchange.ts';

const firstPauseMs = 500;
const longestPauseMs = 30_000;
// After so many looks in vain the person is told.
const lostAfter = 3;
// A stop waits so long for a remote that is away.
const stopPatienceMs = 5_000;

/** Whether the remote is there: what fails by the line is tried again, the person is told once, and once it is back. */
export class Line {
  readonly #tell: (isThere: boolean, error: FlameError | null) => void;
  #wasThere = false;
  #failures = 0;
  #since: number | null = null;

  constructor(tell: (isThere: boolean, error: FlameError | null) => void) {
    this.#tell = tell;
  }

  answered(): void {
    this.#wasThere = true;
    if (this.#failures >= lostAfter) this.#tell(true, null);
    this.#failures = 0;
    this.#since = null;
  }

  /** How long to wait before another try, in milliseconds; null: another one is no use, or the person doesn't want to wait. */
  failed(error: unknown, isStopped: boolean): number | null {
    this.#failures += 1;
    this.#since ??= performance.now();
    const isOver = isStopped && performance.now() - this.#since > stopPatienceMs;
    if (!mayPass(error) || !this.#wasThere || isOver) return null;
    if (this.#failures === lostAfter) this.#tell(false, error as FlameError);
    return Math.random() * Math.min(firstPauseMs * 2 ** this.#failures, longestPauseMs);
  }
}
