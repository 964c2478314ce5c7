/** How long a client may go on asking a service that refuses, in milliseconds. */
const longestRetryMs = 10_000;
// A client asks a little later than it was told to.
const graceMs = 5_000;

/** Bounds what an agent's client waits by itself, from the first refusal of a turn to the next answer. */
export interface Patience {
  /** A turn was refused, or nobody could be reached; `wait`: how long the service says to wait, in milliseconds; 0: it doesn't say. */
  refused(wait: number): void;
  /** A turn was answered. */
  answered(): void;
  close(): void;
}

/**
 * Calls `onOver` when the time is over: at once where no request is on its way, else at the next refusal. What the
 * service says at first is waited out where it is no longer than `longestWaitMs`.
 */
export function openPatience(options: {
  readonly longestWaitMs: number;
  isAsking(): boolean;
  onOver(): void;
}): Patience {
  let timer: NodeJS.Timeout | null = null;
  let isOver = false;
  const end = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    isOver = false;
  };
  return {
    refused: (wait) => {
      if (isOver) return options.onOver();
      if (timer !== null) return;
      const told = wait > 0 && wait <= options.longestWaitMs ? wait + graceMs : 0;
      timer = setTimeout(
        () => {
          isOver = true;
          if (!options.isAsking()) options.onOver();
        },
        Math.max(longestRetryMs, told),
      );
      timer.unref();
    },
    answered: end,
    close: end,
  };
}
