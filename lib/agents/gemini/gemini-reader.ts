import { relative } from 'node:path';
import type { AgentEnd, AgentResultParts, StreamReader } from '../../domain/ports/adapter.ts';
import type { AgentActivity, AgentRequest } from '../../domain/ports/agent-port.ts';
import { isJsonRecord, type JsonRecord, parseJsonRecord } from '../../util/json.ts';
import { parseAnswerFromText } from '../answer-from-text.ts';
import { createLineSplitter, readNumberOrZero, shortenToPrintableLine } from '../event-fields.ts';
import { findRunFailure } from '../find-run-failure.ts';

/** Follows the events of the Gemini CLI's `stream-json`. What it costs the gateway knows. */
export function createGeminiReader(request: AgentRequest): StreamReader {
  const lines = createLineSplitter();
  const seen = { hasBegun: false, ends: 0, text: '', isOpen: false, error: '', tokens: 0 };

  const take = (event: JsonRecord): string | null => {
    if (event.type === 'init') {
      seen.hasBegun = true;
      return 'started';
    }
    if (event.type === 'message' && event.role === 'assistant' && typeof event.content === 'string') {
      // A message comes in parts, until something else does.
      seen.text = seen.isOpen ? seen.text + event.content : event.content;
      seen.isOpen = true;
      return shortenToPrintableLine(seen.text);
    }
    seen.isOpen = false;
    if (event.type === 'error') seen.error = textOf(event.message);
    if (event.type === 'result') {
      seen.ends += 1;
      seen.error = isJsonRecord(event.error) ? textOf(event.error.message) : seen.error;
      seen.tokens = isJsonRecord(event.stats) ? readNumberOrZero(event.stats.total_tokens) : 0;
      return '';
    }
    return describeCall(event, request.worktree.path);
  };
  const read = (complete: readonly string[]): AgentActivity[] =>
    complete
      .map((line) => take(parseJsonRecord(line)))
      .filter((text) => text !== null)
      .map((text) => ({ text, tokens: seen.tokens, cost_usd: 0 }));

  return {
    push: (chunk) => read(lines.push(chunk)),
    finish: (end: AgentEnd): AgentResultParts => {
      read(lines.rest());
      const { ends: endCount, error, hasBegun, text, tokens } = seen;
      const answer = request.answerSchema === null ? null : parseAnswerFromText(text);
      const status = statusOf(end.exitCode);
      return {
        failure: findRunFailure({
          request,
          answer,
          endCount,
          hasBegun,
          text,
          // Its exit code is what the API answered, as far as that fits into one, and no signal.
          end: endCount > 0 && status !== null ? { ...end, exitCode: 1 } : end,
          error: error === '' ? null : { status, text: error },
        }),
        answer,
        text,
        tokens,
        cost_usd: 0,
        warnings: [],
      };
    },
  };
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
  const { command, file_path, pattern, dir_path } = parameters;
  if (typeof file_path === 'string') return `${tool_name} ${nearer(file_path, worktree)}`;
  const what = [command, pattern, dir_path].find((one) => typeof one === 'string');
  return typeof what === 'string' ? `${tool_name} ${shortenToPrintableLine(what)}` : tool_name;
}

function nearer(path: string, worktree: string): string {
  return path.startsWith(`${worktree}/`) ? relative(worktree, path) : path;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** 173 is 429 less 256. */
function statusOf(exitCode: number | null): number | null {
  return exitCode !== null && exitCode >= 144 && exitCode <= 255 ? exitCode + 256 : null;
}
