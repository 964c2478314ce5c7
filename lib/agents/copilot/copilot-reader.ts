import { relative } from 'node:path';
import type { AgentEnd, AgentResultParts, StreamReader } from '../../domain/ports/adapter.ts';
import type { AgentActivity, AgentRequest } from '../../domain/ports/agent-port.ts';
import { isJsonRecord, type JsonRecord, parseJsonRecord } from '../../util/json.ts';
import { findJsonBySchema } from '../answer-from-text.ts';
import { createLineSplitter, shortenToPrintableLine } from '../event-fields.ts';
import { findRunFailure } from '../find-run-failure.ts';

// As if SIGTERM had ended it.
const aborted = 143;

interface ReadError {
  readonly status: number | null;
  readonly text: string;
}

/** Follows the events of the Copilot CLI's `json`. It reports neither tokens nor costs: the gateway knows them. */
export function createCopilotReader(request: AgentRequest): StreamReader {
  const lines = createLineSplitter();
  const seen = { hasBegun: false, isAborted: false, ends: 0, text: '', failed: null as ReadError | null };

  const take = (event: JsonRecord): string | null => {
    const data = isJsonRecord(event.data) ? event.data : {};
    if (isEnd(event)) seen.ends += 1;
    if (event.type === 'abort') seen.isAborted = true;
    if (event.type === 'model.call_failure') seen.failed = readFailure(data, 'errorMessage');
    if (event.type === 'session.error') seen.failed = join(readFailure(data, 'message'), seen.failed);
    if (event.type === 'model.call_final_result' && data.result === 'success') seen.failed = null;
    if (event.type === 'user.message' && !seen.hasBegun) {
      seen.hasBegun = true;
      return 'started';
    }
    if (event.type === 'assistant.message' && typeof data.content === 'string' && data.content !== '')
      seen.text = data.content;
    return renderCopilotEvent(event, request.worktree.path)?.[0] ?? null;
  };
  const read = (complete: readonly string[]): AgentActivity[] =>
    complete
      .map((line) => take(parseJsonRecord(line)))
      .filter((text) => text !== null)
      .map((text) => ({ text: shortenToPrintableLine(text.replace(/^> /, '')), tokens: 0, cost_usd: 0 }));

  return {
    push: (chunk) => read(lines.push(chunk)),
    finish: (end: AgentEnd): AgentResultParts => {
      read(lines.rest());
      const { ends: endCount, failed, hasBegun, isAborted, text } = seen;
      const { answerSchema } = request;
      const answer = answerSchema === null ? null : findJsonBySchema(text, answerSchema);
      return {
        failure: findRunFailure({
          request,
          answer,
          endCount,
          hasBegun,
          text,
          error: failed,
          // A run that was stopped reports success.
          end: isAborted && end.exitCode === 0 ? { ...end, exitCode: aborted } : end,
        }),
        answer,
        text,
        tokens: 0,
        cost_usd: 0,
        warnings: [],
      };
    },
  };
}

const ownTypes = /^(?:assistant|tool|session|user|model|agent|hook|permission|subagent)\.\w+$/;

/** A line of its events for a person to read; null where it is none of the Copilot CLI. */
export function renderCopilotEvent(event: JsonRecord, worktree: string): readonly string[] | null {
  const { type, data } = event;
  if (isEnd(event)) return [];
  if (typeof type !== 'string' || !ownTypes.test(type) || !isJsonRecord(data)) return null;
  if (type === 'assistant.message' && typeof data.content === 'string' && data.content !== '')
    return data.content.trimEnd().split('\n');
  return type === 'tool.execution_start' ? [`> ${describeTool(data, worktree)}`] : [];
}

function isEnd({ type, sessionId, exitCode }: JsonRecord): boolean {
  return type === 'result' && typeof sessionId === 'string' && typeof exitCode === 'number';
}

function describeTool({ toolName, arguments: given }: JsonRecord, worktree: string): string {
  const { command, path, pattern } = isJsonRecord(given) ? given : {};
  const file = typeof path === 'string' && path.startsWith(`${worktree}/`) ? relative(worktree, path) : path;
  const patched = typeof given === 'string' ? /^\*\*\* \w+ File: (.+)$/m.exec(given)?.[1] : undefined;
  const target = [command, file, pattern, patched].find((value) => typeof value === 'string');
  return shortenToPrintableLine(`${String(toolName)} ${typeof target === 'string' ? target : ''}`);
}

function readFailure(data: JsonRecord, key: 'message' | 'errorMessage'): ReadError {
  const said = data[key];
  return {
    status: typeof data.statusCode === 'number' ? data.statusCode : null,
    text: typeof said === 'string' ? said : '',
  };
}

/** Joins its own report of a failure with what the API answered before it. */
function join(reported: ReadError, failed: ReadError | null): ReadError {
  return {
    status: reported.status ?? failed?.status ?? null,
    text: [failed?.text, reported.text].filter(Boolean).join('\n'),
  };
}
