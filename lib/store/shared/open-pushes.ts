import type { Caller } from '../write/decide-round.ts';
import type { RemoteRefs } from '../write/kept-commits.ts';
import type { OpenPush, RemoteExchange } from './remote-exchange.ts';

interface Asked {
  readonly callers: readonly Caller[];
  /** It was answered that it was not taken, which is not for sure: see `denied`. */
  readonly isDenied: boolean;
}

/** A push that the remote has; `isCompleted`: only now, all of it. */
export interface FoundPush {
  readonly push: OpenPush;
  readonly isCompleted: boolean;
}

/** Pushes whose result isn't known: the remote's refs show it at the next look. */
export class OpenPushes {
  readonly #asked = new Map<OpenPush, Asked>();

  begun(push: OpenPush): void {
    this.#asked.set(push, { callers: [...push.round.answers.keys()], isDenied: false });
  }

  /** Removes a push whose result is known. */
  known(push: OpenPush): void {
    this.#asked.delete(push);
  }

  /**
   * It was refused as if another machine had been first. Where a connection broke, git had sent the same twice: the
   * first may have been taken.
   */
  denied(push: OpenPush): void {
    const asked = this.#asked.get(push);
    if (asked !== undefined) this.#asked.set(push, { ...asked, isDenied: true });
  }

  /**
   * Finds pushes that the remote took after all; `isOpen`: whether a caller still waits for its answer. Completes those
   * it took in part, where no other clone moved their refs meanwhile.
   */
  async taken(
    theirs: RemoteRefs,
    exchange: Pick<RemoteExchange, 'lacking' | 'push'>,
    isOpen: (caller: Caller) => boolean,
  ): Promise<readonly FoundPush[]> {
    const taken: FoundPush[] = [];
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
