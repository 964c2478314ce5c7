import { parseRecord } from '../util/json.ts';
import { showEvent } from './get-adapter.ts';

/** An agent's stream as lines for a person to read: what it says and which tools it calls. */
interface StreamView {
  push(chunk: string): readonly StreamLine[];
  /** Returns the rest that has no line break. */
  rest(): readonly StreamLine[];
}

export interface StreamLine {
  /** As the agent printed it. */
  readonly raw: string;
  /** Lines for people, not escaped; none for a line that only programs read. */
  readonly shown: readonly string[];
}

/** `worktree`: paths in it are shown relative to it. */
export function openStreamView(worktree: string): StreamView {
  let pending = '';
  const read = (raw: string): StreamLine => ({ raw, shown: describe(raw, worktree) });
  return {
    push(chunk) {
      const lines = `${pending}${chunk}`.split('\n');
      pending = lines.pop() ?? '';
      return lines.map(read);
    },
    rest: () => (pending === '' ? [] : [read(pending)]),
  };
}

/** A line that is no event of any CLI is what a script printed. */
function describe(line: string, worktree: string): readonly string[] {
  const event = parseRecord(line);
  if (event.type === 'truncated') return [`(what it said after ${event.limit_bytes} bytes was not kept)`];
  return showEvent(event, worktree) ?? (typeof event.type === 'string' ? [] : [line]);
}
