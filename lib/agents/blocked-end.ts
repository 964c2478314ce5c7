import type { EndFacts } from '../domain/ports/call-facts.ts';
import { isRecord } from '../util/json.ts';

/**
 * A hook at the end of several CLIs: to block the end takes a reason, which the model reads as a message. `said` is
 * the field in which they report the last words; null: they report none.
 */
export function blockedEnd(said: string | null): EndFacts {
  return {
    words: (reported) => {
      const words = said !== null && isRecord(reported) ? reported[said] : '';
      return typeof words === 'string' ? words : '';
    },
    goOn: (told) => JSON.stringify({ decision: 'block', reason: told }),
  };
}

/** Builds a command for such a hook. It protects nothing: when it fails, the agent ends, and no error is shown. */
export function endHook(command: string): string {
  return `${command} 2>/dev/null || true`;
}
