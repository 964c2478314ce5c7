import type { StreamReader } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { isJsonRecord, type JsonRecord } from '../../util/json.ts';
import { describeToolCall, readNumberOrZero } from '../event-fields.ts';
import { createEventReader, type SeenRun } from '../event-reader.ts';
import type { ReportedError } from '../find-run-failure.ts';

/** Follows the events of `opencode run --format json`. There is no result: it is done when its last step stopped. */
export function createOpencodeReader(request: AgentRequest): StreamReader {
  let reason = '';
  return createEventReader(request, {
    take(seen, event) {
      if (event.type === 'step_finish' && isJsonRecord(event.part)) reason = `${event.part.reason}`;
      return take(seen, event, request.worktree.path);
    },
    conclude(seen, end) {
      seen.endCount = reason === 'stop' && seen.error === null ? 1 : 0;
      return end;
    },
  });
}

function take(seen: SeenRun, event: JsonRecord, worktree: string): string | null {
  const part = isJsonRecord(event.part) ? event.part : {};
  if (event.type === 'step_start') {
    const isFirst = !seen.hasBegun;
    seen.hasBegun = true;
    return isFirst ? 'started' : null;
  }
  if (event.type === 'step_finish') {
    seen.tokens += tokensOf(part.tokens);
    seen.cost_usd += readNumberOrZero(part.cost);
    return '';
  }
  if (event.type === 'error') seen.error = readError(event.error);
  if (event.type === 'text' && typeof part.text === 'string' && part.text !== '') seen.text = part.text;
  return renderOpencodeEvent(event, worktree)?.[0] ?? null;
}

/** A line of its events for a person to read; null where it is none of opencode. */
export function renderOpencodeEvent(event: JsonRecord, worktree: string): readonly string[] | null {
  const { type, part } = event;
  if (typeof event.sessionID !== 'string' || typeof type !== 'string') return null;
  if (!isJsonRecord(part)) return [];
  if (type === 'text' && typeof part.text === 'string') return part.text.trimEnd().split('\n').filter(Boolean);
  const { tool, state } = part;
  return type === 'tool_use' ? [`> ${describeToolCall(tool, isJsonRecord(state) ? state.input : null, worktree)}`] : [];
}

/** Its input is without what was cached. */
function tokensOf(tokens: unknown): number {
  if (!isJsonRecord(tokens)) return 0;
  const cache = isJsonRecord(tokens.cache) ? tokens.cache : {};
  const counts = [tokens.input, tokens.output, tokens.reasoning, cache.read, cache.write];
  return counts.reduce((sum: number, count) => sum + readNumberOrZero(count), 0);
}

function readError(error: unknown): ReportedError {
  if (!isJsonRecord(error)) return { status: null, text: '' };
  const data = isJsonRecord(error.data) ? error.data : {};
  const status = typeof data.statusCode === 'number' ? data.statusCode : null;
  // A context that is too long comes with 400 and this name.
  return { status, text: `${error.name}: ${typeof data.message === 'string' ? data.message : ''}` };
}
