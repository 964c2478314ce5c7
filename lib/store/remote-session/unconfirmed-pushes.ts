import { FlameError } from '../../domain/flame-error.ts';
import type { PendingTransaction } from '../write/decide-transactions.ts';
import type { RemoteRefs } from '../write/kept-commits.ts';
import { isTransientRemoteError, type RemoteExchange, type UnconfirmedPush } from './remote-exchange.ts';

interface PendingPush {
  readonly callers: readonly PendingTransaction[];
  /** It was answered that it was not taken, which is not for sure: see `denied`. */
  readonly isDenied: boolean;
}

/** A push that the remote has; `isCompleted`: only now, all of it. */
export interface ConfirmedPush {
  readonly push: UnconfirmedPush;
  readonly isCompleted: boolean;
}

/** Pushes whose result isn't known: the remote's refs show it at the next look. */
export class UnconfirmedPushes {
  readonly #asked = new Map<UnconfirmedPush, PendingPush>();

  begun(push: UnconfirmedPush): void {
    this.#asked.set(push, { callers: [...push.round.answers.keys()], isDenied: false });
  }

  /** Removes a push whose result is known. */
  forget(push: UnconfirmedPush): void {
    this.#asked.delete(push);
  }

  /**
   * It was refused as if another machine had been first. Where a connection broke, git had sent the same twice: the
   * first may have been taken.
   */
  denied(push: UnconfirmedPush): void {
    const pending = this.#asked.get(push);
    if (pending !== undefined) this.#asked.set(push, { ...pending, isDenied: true });
  }

  /**
   * Finds pushes that the remote took after all; `isOpen`: whether a caller still waits for its answer. Completes those
   * it took in part, where no other clone moved their refs meanwhile.
   */
  async taken(
    theirs: RemoteRefs,
    exchange: Pick<RemoteExchange, 'lacking' | 'push'>,
    isOpen: (caller: PendingTransaction) => boolean,
  ): Promise<readonly ConfirmedPush[]> {
    const taken: ConfirmedPush[] = [];
    for (const [push, { callers, isDenied }] of this.#asked) {
      const isWaitedFor = callers.some(isOpen);
      const lacking = isWaitedFor ? await exchange.lacking(push, theirs) : null;
      const isHalf = lacking !== null && lacking.length > 0;
      const isTaken = lacking !== null && (!isHalf || (await exchange.push(lacking)).kind === 'done');
      if (isTaken) taken.push({ push, isCompleted: isHalf });
      if (!isWaitedFor || isTaken || isDenied) this.#asked.delete(push);
    }
    return taken;
  }
}

const firstPauseMs = 500;
const longestPauseMs = 30_000;
// The person is warned after so many failed looks.
const lostAfter = 3;
// A stop waits so long for a remote that is away.
const stopPatienceMs = 5_000;

/** State of the connection: failures of the network are retried; its loss is reported once, and its return once. */
export class ConnectionLossReporter {
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
    if (!isTransientRemoteError(error) || !this.#wasThere || isOver) return null;
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
