import type { StreamReader } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { isJsonRecord, type JsonRecord } from '../../util/json.ts';
import { describeToolCall } from '../event-fields.ts';
import { createEventReader, type SeenRun } from '../event-reader.ts';
import type { ReportedError } from '../find-run-failure.ts';

// As if SIGTERM had ended it.
const aborted = 143;

/** Follows the events of the Copilot CLI's `json`. It reports neither tokens nor costs: the gateway knows them. */
export function createCopilotReader(request: AgentRequest): StreamReader {
  let isAborted = false;
  return createEventReader(request, {
    take(seen, event) {
      if (event.type === 'abort') isAborted = true;
      return take(seen, event, request.worktree.path);
    },
    // A run that was stopped reports success.
    conclude: (_, end) => (isAborted && end.exitCode === 0 ? { ...end, exitCode: aborted } : end),
  });
}

function take(seen: SeenRun, event: JsonRecord, worktree: string): string | null {
  const data = isJsonRecord(event.data) ? event.data : {};
  if (isEnd(event)) seen.endCount += 1;
  if (event.type === 'model.call_failure') seen.error = readFailure(data, 'errorMessage');
  if (event.type === 'session.error') seen.error = join(readFailure(data, 'message'), seen.error);
  if (event.type === 'model.call_final_result' && data.result === 'success') seen.error = null;
  if (event.type === 'user.message' && !seen.hasBegun) {
    seen.hasBegun = true;
    return 'started';
  }
  if (event.type === 'assistant.message' && typeof data.content === 'string' && data.content !== '')
    seen.text = data.content;
  return renderCopilotEvent(event, worktree)?.[0] ?? null;
}

const ownTypes = /^(?:assistant|tool|session|user|model|agent|hook|permission|subagent)\.\w+$/;

/** A line of its events for a person to read; null where it is none of the Copilot CLI. */
export function renderCopilotEvent(event: JsonRecord, worktree: string): readonly string[] | null {
  const { type, data } = event;
  if (isEnd(event)) return [];
  if (typeof type !== 'string' || !ownTypes.test(type) || !isJsonRecord(data)) return null;
  if (type === 'assistant.message' && typeof data.content === 'string' && data.content !== '')
    return data.content.trimEnd().split('\n');
  if (type !== 'tool.execution_start') return [];
  const { toolName, arguments: given } = data;
  const patched = typeof given === 'string' ? /^\*\*\* \w+ File: (.+)$/m.exec(given)?.[1] : undefined;
  return [`> ${describeToolCall(toolName, patched === undefined ? given : { path: patched }, worktree)}`];
}

function isEnd({ type, sessionId, exitCode }: JsonRecord): boolean {
  return type === 'result' && typeof sessionId === 'string' && typeof exitCode === 'number';
}

function readFailure(data: JsonRecord, key: 'message' | 'errorMessage'): ReportedError {
  const said = data[key];
  return {
    status: typeof data.statusCode === 'number' ? data.statusCode : null,
    text: typeof said === 'string' ? said : '',
  };
}

/** Joins its own report of a failure with what the API answered before it. */
function join(reported: ReportedError, failed: ReportedError | null): ReportedError {
  return {
    status: reported.status ?? failed?.status ?? null,
    text: [failed?.text, reported.text].filter(Boolean).join('\n'),
  };
}
