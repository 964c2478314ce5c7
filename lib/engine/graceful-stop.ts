import { commandStoppedError, FlameError } from '../domain/flame-error.ts';

/** The person stopped the program while agents ran. */
export function interruptedError(): FlameError {
  const message = 'Stopped. The agents have ended, their tasks are free again and what they wrote is kept.';
  return commandStoppedError(message, { hints: ['git flame run'] });
}

/** The person stopped the program while it judged what a finished agent left. */
export function stoppedUnjudgedError(): FlameError {
  const message = "Stopped while an agent's work was judged. The next run continues there.";
  return commandStoppedError(message, { hints: ['git flame run'] });
}

/** Whether an error says that the person stopped the program. */
export function isInterrupted(error: unknown): boolean {
  return error instanceof FlameError && error.code === 'interrupted';
}

/** The person stopped the program before an agent was started, while something was waited for or not. */
export function stoppedBeforeStartError(waitedFor: string | null): FlameError {
  return commandStoppedError(`Stopped${waitedFor === null ? '.' : ` while it waited: ${waitedFor}`}`, {
    details: ['No agent had started for it. Finished work is kept.'],
    hints: ['git flame run'],
  });
}

/**
 * A person's wish that no further agent starts in this cycle: finished work continues to validation and
 * review.
 */
export interface GracefulStop {
  isRequested(): boolean;
  ask(): void;
  /** Agents may start again. */
  reset(): void;
  /** Aborts when it is asked for; another one after a reset. */
  readonly signal: AbortSignal;
}

export function createGracefulStop(): GracefulStop {
  let asking = new AbortController();
  return {
    isRequested: () => asking.signal.aborted,
    ask: () => asking.abort(),
    reset: () => {
      if (asking.signal.aborted) asking = new AbortController();
    },
    get signal() {
      return asking.signal;
    },
  };
}
