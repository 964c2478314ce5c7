import type { StreamReader } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { isJsonRecord, type JsonRecord } from '../../util/json.ts';
import { describeToolCall, readNumberOrZero } from '../event-fields.ts';
import { createEventReader, type SeenRun } from '../event-reader.ts';

/** Follows the events of the Gemini CLI's `stream-json`. What it costs the gateway knows. */
export function createGeminiReader(request: AgentRequest): StreamReader {
  let isOpen = false;
  return createEventReader(request, {
    take(seen, event) {
      // A message comes in parts, until something else does.
      const wasOpen = isOpen;
      isOpen = event.type === 'message' && event.role === 'assistant' && typeof event.content === 'string';
      if (!isOpen) return take(seen, event, request.worktree.path);
      seen.text = `${wasOpen ? seen.text : ''}${event.content}`;
      return seen.text;
    },
    conclude(seen, end) {
      const status = statusOf(end.exitCode);
      if (seen.error !== null) seen.error = { ...seen.error, status };
      // Its exit code is what the API answered, as far as that fits into one, and no signal.
      return seen.endCount > 0 && status !== null ? { ...end, exitCode: 1 } : end;
    },
  });
}

function take(seen: SeenRun, event: JsonRecord, worktree: string): string | null {
  switch (event.type) {
    case 'init':
      seen.hasBegun = true;
      return 'started';
    case 'error':
      noteError(seen, event.message);
      return null;
    case 'result':
      seen.endCount += 1;
      if (isJsonRecord(event.error)) noteError(seen, event.error.message);
      seen.tokens = isJsonRecord(event.stats) ? readNumberOrZero(event.stats.total_tokens) : 0;
      return '';
    default:
      return describeCall(event, worktree);
  }
}

function noteError(seen: SeenRun, message: unknown): void {
  seen.error = typeof message === 'string' && message !== '' ? { status: null, text: message } : null;
}

/** A line of its events for a person to read; null where it is none of the Gemini CLI. */
export function renderGeminiEvent(event: JsonRecord, worktree: string): readonly string[] | null {
  const { type, role, content } = event;
  if (type === 'message' && typeof content === 'string')
    return role === 'assistant' ? content.trimEnd().split('\n') : [];
  if (type === 'tool_use' && typeof event.tool_name === 'string') {
    const call = describeCall(event, worktree);
    return call === null ? [] : [`> ${call}`];
  }
  const isOwn =
    (type === 'init' && event.session_id !== undefined) ||
    (type === 'tool_result' && event.tool_id !== undefined) ||
    (type === 'result' && isJsonRecord(event.stats));
  return isOwn ? [] : null;
}

function describeCall({ type, tool_name, parameters }: JsonRecord, worktree: string): string | null {
  if (type !== 'tool_use' || typeof tool_name !== 'string' || !isJsonRecord(parameters)) return null;
  return describeToolCall(tool_name, parameters, worktree);
}

/** 173 is 429 less 256. */
function statusOf(exitCode: number | null): number | null {
  return exitCode !== null && exitCode >= 144 && exitCode <= 255 ? exitCode + 256 : null;
}
