import { countTokens, priceTokens, type TokenUsage } from '../domain/config/token-price.ts';
import type { Failure } from '../domain/failure.ts';
import { leadServerName } from '../domain/lead-tools.ts';
import type { AgentEnd, AgentResultParts, StreamReader, TranscriptParts } from '../domain/ports/adapter.ts';
import type { AgentActivity, AgentRequest } from '../domain/ports/agent-port.ts';
import { isJsonRecord, parseJsonRecord } from '../util/json.ts';
import { findJsonBySchema } from './answer-from-text.ts';
import {
  createLineSplitter,
  describeToolCall,
  joinTextBlocks,
  listContentBlocks,
  readNumberOrZero,
  readTokenUsage,
  shortenToPrintableLine,
} from './event-fields.ts';
import { type ClaudeResultEvent, findClaudeRunFailure } from './find-run-failure.ts';
import { checkPluginLoaded, type SuperpowersConfig } from './superpowers.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Follows the stream-json output of one run. */
export function createClaudeReader(request: AgentRequest, superpowers: SuperpowersConfig): StreamReader {
  const lines = createLineSplitter();
  const usage = usageCounter();
  let hasBegun = false;
  let result: ClaudeResultEvent | null = null;
  let results = 0;
  let lastText = '';
  let limitEndsAt: number | null = null;
  let warnings: readonly string[] = [];

  const take = (event: Fields): string | null => {
    if (event.type === 'system' && event.subtype === 'init') {
      hasBegun = true;
      warnings = [...checkPluginLoaded(event, superpowers, request.role), ...toolWarnings(event, request)];
      return 'started';
    }
    if (event.type === 'stream_event') return usage.take(event) ? '' : null;
    if (event.type === 'rate_limit_event') {
      limitEndsAt = limitEndOf(event.rate_limit_info);
      return null;
    }
    if (event.type === 'result') {
      results += 1;
      result ??= readResult(event);
      return null;
    }
    if (event.type !== 'assistant' || !isJsonRecord(event.message)) return null;
    lastText = joinTextBlocks(event.message.content) || lastText;
    return describeMessage(event.message, request.worktree.path);
  };
  const read = (complete: readonly string[]): AgentActivity[] =>
    complete
      .map((line) => {
        const event = parseJsonRecord(line);
        // Something else wrote into the same line: what the client said there is lost, not unsaid.
        if (event.type === undefined && line.includes('"type":"result"')) results += 1;
        return take(event);
      })
      .filter((text) => text !== null)
      .map((text) => ({ text, tokens: usage.total(), cost_usd: usage.cost() }));

  return {
    push: (chunk) => read(lines.push(chunk)),
    finish: (end: AgentEnd): AgentResultParts => {
      read(lines.rest());
      const judged = findClaudeRunFailure({ request, end, result, results, hasBegun });
      return {
        failure: withEnd(judged, limitEndsAt),
        answer: results > 1 ? null : (result?.answer ?? null),
        text: result?.text ?? lastText,
        cost_usd: result?.cost_usd ?? usage.cost(),
        // After a kill there is no result: what was seen on the way counts.
        tokens: Math.max(result?.tokens ?? 0, usage.total()),
        warnings,
      };
    },
  };
}

/** A subscription's limit reports its end in seconds since 1970. */
function limitEndOf(info: unknown): number | null {
  if (!isJsonRecord(info) || info.status !== 'rejected') return null;
  const seconds = readNumberOrZero(info.resetsAt);
  return seconds > 0 ? seconds * 1_000 : null;
}

function withEnd(failure: Failure | null, end: number | null): Failure | null {
  if (failure?.kind !== 'rate-limit' || end === null) return failure;
  return { ...failure, until: new Date(end).toISOString() };
}

/**
 * Counts tokens while messages arrive: their start reports the input, their end the output. `assistant`
 * events repeat one usage per content block, and before it's final, so they are not counted.
 */
function usageCounter(): { take(event: Fields): boolean; total(): number; cost(): number } {
  const byMessage = new Map<string, TokenUsage>();
  const models = new Map<string, string>();
  const current = new Map<unknown, string>();
  const take = ({ event, parent_tool_use_id: parent }: Fields): boolean => {
    if (!isJsonRecord(event)) return false;
    if (event.type === 'message_start' && isJsonRecord(event.message)) {
      const id = `${event.message.id}`;
      current.set(parent ?? null, id);
      byMessage.set(id, readTokenUsage(event.message.usage));
      models.set(id, `${event.message.model}`);
      return true;
    }
    const id = current.get(parent ?? null);
    if (event.type !== 'message_delta' || id === undefined) return false;
    byMessage.set(id, {
      ...byMessage.get(id),
      output_tokens: readTokenUsage(event.usage).output_tokens ?? 0,
    });
    return true;
  };
  const total = (): number => [...byMessage.values()].reduce((sum, usage) => sum + countTokens(usage), 0);
  // An estimate until the result says it, and all there is of one that was ended before.
  const cost = (): number =>
    [...byMessage].reduce((sum, [id, usage]) => sum + (priceTokens(models.get(id) ?? '', usage) ?? 0), 0);
  return { take, total, cost };
}

function describeMessage(message: Fields, worktree: string): string | null {
  const parts = listContentBlocks(message.content).map((block) => {
    if (block.type === 'tool_use') return describeToolCall(block.name, block.input, worktree);
    return block.type === 'text' && typeof block.text === 'string' ? shortenToPrintableLine(block.text) : '';
  });
  return parts.filter((part) => part !== '').at(-1) ?? null;
}

function readResult(event: Fields): ClaudeResultEvent {
  return {
    subtype: `${event.subtype}`,
    isError: event.is_error !== false,
    status: typeof event.api_error_status === 'number' ? event.api_error_status : null,
    turns: readNumberOrZero(event.num_turns),
    text: typeof event.result === 'string' ? event.result : '',
    errors: Array.isArray(event.errors) ? event.errors.map(String) : [],
    answer: event.structured_output ?? null,
    cost_usd: readNumberOrZero(event.total_cost_usd),
    tokens: modelTokens(event.modelUsage),
  };
}

/** `usage` of the result misses sub-agents and, on errors, the last turn; modelUsage has all. */
function modelTokens(modelUsage: unknown): number {
  if (!isJsonRecord(modelUsage)) return 0;
  return Object.values(modelUsage)
    .filter(isJsonRecord)
    .reduce(
      (sum, usage) =>
        sum +
        countTokens({
          input_tokens: readNumberOrZero(usage.inputTokens),
          output_tokens: readNumberOrZero(usage.outputTokens),
          cache_creation_input_tokens: readNumberOrZero(usage.cacheCreationInputTokens),
          cache_read_input_tokens: readNumberOrZero(usage.cacheReadInputTokens),
        }),
      0,
    );
}

/** The CLI goes on without a server it could not start, and without a word. */
function toolWarnings(event: Fields, { tools }: AgentRequest): readonly string[] {
  if (tools === undefined) return [];
  const servers = Array.isArray(event.mcp_servers) ? event.mcp_servers.filter(isJsonRecord) : [];
  const isThere = servers.some(({ name, status }) => name === leadServerName && status === 'connected');
  return isThere ? [] : ['It could not connect to its tools, so it can do nothing.'];
}

/**
 * Reads a conversation's transcript: the plan in the last words that hold one, the last words, and the
 * tokens spent. The format is the CLI's own: a line that isn't understood is ignored.
 */
export function parseClaudeTranscript(transcript: string): TranscriptParts {
  const lines = transcript.split('\n').map(parseJsonRecord);
  const messages = lines.filter(
    (line) => line.type === 'assistant' && line.isSidechain !== true && isJsonRecord(line.message),
  );
  const texts = joinBlocks(messages);
  const answers = texts.map((text) => findJsonBySchema(text)).filter((answer) => answer !== null);
  return { answer: answers.at(-1) ?? null, text: texts.at(-1) ?? '', tokens: sumUsage(lines) };
}

/** A message is one line per content block: its text is put together again. */
function joinBlocks(messages: readonly Readonly<Record<string, unknown>>[]): string[] {
  const byId = new Map<string, string>();
  for (const [index, { message }] of messages.entries()) {
    if (!isJsonRecord(message)) continue;
    const text = joinTextBlocks(message.content);
    if (text === '') continue;
    const id = typeof message.id === 'string' ? message.id : `line ${index}`;
    byId.set(id, `${byId.get(id) ?? ''}${text}`);
  }
  return [...byId.values()];
}

/** Every line of a message repeats its usage: the last one counts. */
function sumUsage(lines: readonly Readonly<Record<string, unknown>>[]): number {
  const byId = new Map<unknown, number>();
  for (const { type, message } of lines) {
    if (type === 'assistant' && isJsonRecord(message)) byId.set(message.id, countTokens(readTokenUsage(message.usage)));
  }
  return [...byId.values()].reduce((sum, tokens) => sum + tokens, 0);
}
