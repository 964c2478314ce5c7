import { FlameError } from '../../domain/flame-error.ts';
import { mayPass } from './remote-exchange.ts';

const firstPauseMs = 500;
const longestPauseMs = 30_000;
// The person is warned after so many failed looks.
const lostAfter = 3;
// A stop waits so long for a remote that is away.
const stopPatienceMs = 5_000;

/** State of the connection: failures of the network are retried; its loss is reported once, and its return once. */
export class Line {
  readonly #tell: (isThere: boolean, error: FlameError | null) => void;
  #wasThere = false;
  #isTold = false;
  #failures = 0;
  #since: number | null = null;

  constructor(tell: (isThere: boolean, error: FlameError | null) => void) {
    this.#tell = tell;
  }

  answered(): void {
    this.#wasThere = true;
    if (this.#isTold) this.#tell(true, null);
    this.#isTold = false;
    this.#failures = 0;
    this.#since = null;
  }

  /** Milliseconds to wait before a retry; null: a retry is no use, or the person doesn't want to wait. */
  failed(error: unknown, isStopped: boolean): number | null {
    this.#failures += 1;
    this.#since ??= performance.now();
    const isOver = isStopped && performance.now() - this.#since > stopPatienceMs;
    if (!mayPass(error) || !this.#wasThere || isOver) return null;
    if (!this.#isTold && (this.#failures >= lostAfter || isPlain(error))) {
      this.#isTold = true;
      this.#tell(false, error as FlameError);
    }
    return Math.random() * Math.min(firstPauseMs * 2 ** this.#failures, longestPauseMs);
  }
}

/** A server that answers, and says that it can't: that is no line that fails for a moment. */
function isPlain(error: unknown): boolean {
  return error instanceof FlameError && error.code === 'remote-cannot-store';
}
