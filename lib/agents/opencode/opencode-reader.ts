import { relative } from 'node:path';
import type { AgentEnd, AgentResultParts, StreamReader } from '../../domain/ports/adapter.ts';
import type { AgentActivity, AgentRequest } from '../../domain/ports/agent-port.ts';
import { isRecord, type JsonRecord, parseRecord } from '../../util/json.ts';
import { extractJson } from '../answer-text.ts';
import { firstLine, lineSplitter, numberOf } from '../event-lines.ts';
import { judgeRun } from '../judge-run.ts';

/** Follows the events of `opencode run --format json`. There is no result: it is done when its last step stopped. */
export function opencodeReader(request: AgentRequest): StreamReader {
  const lines = lineSplitter();
  const seen = { hasBegun: false, reason: '', lastText: '', tokens: 0, cost: 0 };
  let error: { readonly status: number | null; readonly text: string } | null = null;

  const take = (event: JsonRecord): string | null => {
    const part = isRecord(event.part) ? event.part : {};
    if (event.type === 'step_start') {
      const isFirst = !seen.hasBegun;
      seen.hasBegun = true;
      return isFirst ? 'started' : null;
    }
    if (event.type === 'step_finish') {
      seen.reason = `${part.reason}`;
      seen.tokens += tokensOf(part.tokens);
      seen.cost += numberOf(part.cost);
      return '';
    }
    if (event.type === 'error') error = readError(event.error);
    if (event.type === 'text' && typeof part.text === 'string' && part.text !== '') seen.lastText = part.text;
    const [line] = showOpencodeLine(event, request.worktree.path) ?? [];
    return line === undefined ? null : firstLine(line.replace(/^> /, ''));
  };
  const read = (complete: readonly string[]): AgentActivity[] =>
    complete
      .map((line) => take(parseRecord(line)))
      .filter((text) => text !== null)
      .map((text) => ({ text, tokens: seen.tokens, cost_usd: seen.cost }));

  return {
    push: (chunk) => read(lines.push(chunk)),
    finish: (end: AgentEnd): AgentResultParts => {
      read(lines.rest());
      const { answerSchema } = request;
      const answer = answerSchema === null ? null : extractJson(seen.lastText, answerSchema);
      const isDone = seen.reason === 'stop' && error === null;
      return {
        failure: judgeRun({
          request,
          end,
          answer,
          error,
          hasBegun: seen.hasBegun,
          ends: isDone ? 1 : 0,
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
export function showOpencodeLine(event: JsonRecord, worktree: string): readonly string[] | null {
  const { type, part } = event;
  if (typeof event.sessionID !== 'string' || typeof type !== 'string') return null;
  if (!isRecord(part)) return [];
  if (type === 'text' && typeof part.text === 'string')
    return part.text.trimEnd().split('\n').filter(Boolean);
  return type === 'tool_use' ? [`> ${describeTool(part, worktree)}`] : [];
}

function describeTool({ tool, state }: JsonRecord, worktree: string): string {
  const input = isRecord(state) && isRecord(state.input) ? state.input : {};
  const path = typeof input.filePath === 'string' ? relative(worktree, input.filePath) : undefined;
  const target = [path, input.command, input.pattern, input.path].find((value) => typeof value === 'string');
  return firstLine(`${tool} ${target ?? ''}`);
}

/** Its input is without what was cached. */
function tokensOf(tokens: unknown): number {
  if (!isRecord(tokens)) return 0;
  const cache = isRecord(tokens.cache) ? tokens.cache : {};
  return (
    numberOf(tokens.input) +
    numberOf(tokens.output) +
    numberOf(tokens.reasoning) +
    numberOf(cache.read) +
    numberOf(cache.write)
  );
}

function readError(error: unknown): { readonly status: number | null; readonly text: string } {
  if (!isRecord(error)) return { status: null, text: '' };
  const data = isRecord(error.data) ? error.data : {};
  const status = typeof data.statusCode === 'number' ? data.statusCode : null;
  // A context that is too long comes with 400 and this name.
  return { status, text: `${error.name}: ${typeof data.message === 'string' ? data.message : ''}` };
}
