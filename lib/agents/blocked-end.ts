import type { EndFacts } from '../domain/ports/call-facts.ts';
import { isRecord } from '../util/json-record.ts';

/**
 * A hook at the end of several CLIs: what blocks the end is a reason, which their model reads as a message. `said` names
 * what they report the last words as; null: they report none.
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

/** A command for such a hook. It protects nobody: whatever goes wrong with it, the agent ends, and nothing is said. */
export function endHook(command: string): string {
  return `${command} 2>/dev/null || true`;
}
