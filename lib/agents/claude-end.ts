import type { EndFacts } from '../domain/ports/adapter.ts';
import { isRecord } from '../util/json-record.ts';

/** Claude Code's `Stop` hook: what blocks the end is a reason, which its model reads as a message. */
export const claudeEnd: EndFacts = {
  words: (reported) => {
    const said = isRecord(reported) ? reported.last_assistant_message : '';
    return typeof said === 'string' ? said : '';
  },
  goOn: (told) => JSON.stringify({ decision: 'block', reason: told }),
};
