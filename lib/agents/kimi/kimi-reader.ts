import type { AgentEnd, StreamReader } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { isJsonRecord, type JsonRecord, parseJsonRecord } from '../../util/json.ts';
import { describeToolCall } from '../event-fields.ts';
import { createEventReader } from '../event-reader.ts';
import type { ReportedError } from '../find-run-failure.ts';

/** Follows the messages of Kimi Code's `stream-json`. It reports neither tokens nor costs: the gateway knows them. */
export function createKimiReader(request: AgentRequest): StreamReader {
  let retried: JsonRecord | null = null;
  return createEventReader(request, {
    take(seen, event) {
      if (event.role === 'meta') {
        if (event.type === 'system.version') seen.hasBegun = true;
        if (event.type === 'session.resume_hint') seen.endCount += 1;
        if (event.type === 'turn.step.retrying') retried = event;
        return event.type === 'system.version' ? 'started' : null;
      }
      if (event.role !== 'assistant') return null;
      if (typeof event.content === 'string' && event.content !== '') seen.text = event.content;
      return describe(event, request.worktree.path)[0] ?? null;
    },
    conclude(seen, end) {
      seen.error = readError(end.stderr) ?? readRetry(retried, end);
      return end;
    },
  });
}

/** A line of its stream for a person to read; null where it is none of Kimi Code. */
export function renderKimiEvent(event: JsonRecord, worktree: string): readonly string[] | null {
  if (event.role === 'meta' || (event.role === 'tool' && event.tool_call_id !== undefined)) return [];
  return event.role === 'assistant' && event.type === undefined ? describe(event, worktree) : null;
}

function describe({ content, tool_calls }: JsonRecord, worktree: string): readonly string[] {
  const said = typeof content === 'string' && content !== '' ? content.trimEnd().split('\n') : [];
  const calls = (Array.isArray(tool_calls) ? tool_calls : []).filter(isJsonRecord).map((call) => {
    const { name, arguments: given } = isJsonRecord(call.function) ? call.function : {};
    return `> ${describeToolCall(name, typeof given === 'string' ? parseJsonRecord(given) : {}, worktree)}`;
  });
  return [...said, ...calls];
}

/**
 * `error: failed to run prompt: provider.auth_error: 401 …`, `… compaction.failed: APIContextOverflowError: 400 …`, `… Provider safety
 * policy …`; on the same stream tools print.
 */
function readError(stderr: string): ReportedError | null {
  const line = stderr
    .split('\n')
    .findLast((one) => /^(?:error: failed to run prompt|(?:error: )?(?:provider\.\w+|compaction\.failed)): /.test(one));
  if (line === undefined) return null;
  const status = /: (\d{3})\b/.exec(line)?.[1];
  return { status: status === undefined ? null : Number(status), text: line };
}

/** Reads the error of the last retry it reported, where it did not end well. */
function readRetry(retried: JsonRecord | null, { exitCode }: AgentEnd): ReportedError | null {
  if (retried === null || exitCode === 0) return null;
  const { status_code, error_name, error_message } = retried;
  return {
    status: typeof status_code === 'number' ? status_code : null,
    text: [error_name, error_message].filter((one) => typeof one === 'string').join(': '),
  };
}
