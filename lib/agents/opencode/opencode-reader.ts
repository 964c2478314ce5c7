import { relative } from 'node:path';
import type { AgentEnd, AgentResultParts, StreamReader } from '../../domain/ports/adapter.ts';
import type { AgentActivity, AgentRequest } from '../../domain/ports/agent-port.ts';
import { isJsonRecord, type JsonRecord, parseJsonRecord } from '../../util/json.ts';
import { findJsonBySchema } from '../answer-from-text.ts';
import { createLineSplitter, readNumberOrZero, shortenToPrintableLine } from '../event-fields.ts';
import { findRunFailure } from '../find-run-failure.ts';

/** Follows the events of `opencode run --format json`. There is no result: it is done when its last step stopped. */
export function createOpencodeReader(request: AgentRequest): StreamReader {
  const lines = createLineSplitter();
  const seen = { hasBegun: false, reason: '', lastText: '', tokens: 0, cost: 0 };
  let error: { readonly status: number | null; readonly text: string } | null = null;

  const take = (event: JsonRecord): string | null => {
    const part = isJsonRecord(event.part) ? event.part : {};
    if (event.type === 'step_start') {
      const isFirst = !seen.hasBegun;
      seen.hasBegun = true;
      return isFirst ? 'started' : null;
    }
    if (event.type === 'step_finish') {
      seen.reason = `${part.reason}`;
      seen.tokens += tokensOf(part.tokens);
      seen.cost += readNumberOrZero(part.cost);
      return '';
    }
    if (event.type === 'error') error = readError(event.error);
    if (event.type === 'text' && typeof part.text === 'string' && part.text !== '') seen.lastText = part.text;
    const [line] = renderOpencodeEvent(event, request.worktree.path) ?? [];
    return line === undefined ? null : shortenToPrintableLine(line.replace(/^> /, ''));
  };
  const read = (complete: readonly string[]): AgentActivity[] =>
    complete
      .map((line) => take(parseJsonRecord(line)))
      .filter((text) => text !== null)
      .map((text) => ({ text, tokens: seen.tokens, cost_usd: seen.cost }));

  return {
    push: (chunk) => read(lines.push(chunk)),
    finish: (end: AgentEnd): AgentResultParts => {
      read(lines.rest());
      const { answerSchema } = request;
      const answer = answerSchema === null ? null : findJsonBySchema(seen.lastText, answerSchema);
      const isDone = seen.reason === 'stop' && error === null;
      return {
        failure: findRunFailure({
          request,
          end,
          answer,
          error,
          hasBegun: seen.hasBegun,
          endCount: isDone ? 1 : 0,
          text: seen.lastText,
        }),
        answer,
        text: seen.lastText,
        cost_usd: seen.cost,
        tokens: seen.tokens,
        warnings: [],
      };
    },
  };
}

/** A line of its events for a person to read; null where it is none of opencode. */
export function renderOpencodeEvent(event: JsonRecord, worktree: string): readonly string[] | null {
  const { type, part } = event;
  if (typeof event.sessionID !== 'string' || typeof type !== 'string') return null;
  if (!isJsonRecord(part)) return [];
  if (type === 'text' && typeof part.text === 'string') return part.text.trimEnd().split('\n').filter(Boolean);
  return type === 'tool_use' ? [`> ${describeTool(part, worktree)}`] : [];
}

function describeTool({ tool, state }: JsonRecord, worktree: string): string {
  const input = isJsonRecord(state) && isJsonRecord(state.input) ? state.input : {};
  const path = typeof input.filePath === 'string' ? relative(worktree, input.filePath) : undefined;
  const target = [path, input.command, input.pattern, input.path].find((value) => typeof value === 'string');
  return shortenToPrintableLine(`${tool} ${target ?? ''}`);
}

/** Its input is without what was cached. */
function tokensOf(tokens: unknown): number {
  if (!isJsonRecord(tokens)) return 0;
  const cache = isJsonRecord(tokens.cache) ? tokens.cache : {};
  return (
    readNumberOrZero(tokens.input) +
    readNumberOrZero(tokens.output) +
    readNumberOrZero(tokens.reasoning) +
    readNumberOrZero(cache.read) +
    readNumberOrZero(cache.write)
  );
}

function readError(error: unknown): { readonly status: number | null; readonly text: string } {
  if (!isJsonRecord(error)) return { status: null, text: '' };
  const data = isJsonRecord(error.data) ? error.data : {};
  const status = typeof data.statusCode === 'number' ? data.statusCode : null;
  // A context that is too long comes with 400 and this name.
  return { status, text: `${error.name}: ${typeof data.message === 'string' ? data.message : ''}` };
}
