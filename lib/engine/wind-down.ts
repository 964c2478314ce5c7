/**
 * A person's wish that no further agent starts in this cycle: finished work continues to validation and
 * review.
 */
export interface WindDown {
  isAsked(): boolean;
  ask(): void;
  /** Agents may start again. */
  reset(): void;
  /** Aborts when it is asked for; another one after a reset. */
  readonly signal: AbortSignal;
}

export function createWindDown(): WindDown {
  let asking = new AbortController();
  return {
    isAsked: () => asking.signal.aborted,
    ask: () => asking.abort(),
    reset: () => {
      if (asking.signal.aborted) asking = new AbortController();
    },
    get signal() {
      return asking.signal;
    },
  };
}
