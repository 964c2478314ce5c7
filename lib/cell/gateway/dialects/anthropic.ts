import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isJsonRecord, type JsonRecord } from '../../../util/json.ts';
import { listWords } from '../../../util/sort-and-group.ts';
import { insertInAnthropic, readAnthropicConversation, renderAnthropicResponse } from './anthropic-conversation.ts';
import { judgeAnthropicRequest } from './anthropic-request.ts';
import {
  createLineEstimator,
  type Dialect,
  type ModelApiEndpoint,
  type PromptCacheMark,
  type PromptText,
  type ReportedUsage,
} from './dialect.ts';
import { bytesPerDocumentToken, tokensPerImage } from './media.ts';
import { listRecordsOfValue, selectHeadersByName, textOrEmpty } from './request-fields.ts';

const written = createLineEstimator(
  '"content_block_delta"',
  'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""}}',
);

/** The Messages API. */
export const anthropicDialect: Dialect = {
  find: findEndpoint,
  parameters: {
    beta: /^true$/,
    limit: /^\d{1,4}$/,
    before_id: /^[\w.:@-]{1,100}$/,
    after_id: /^[\w.:@-]{1,100}$/,
  },
  passHeaders: passAnthropicHeaders,
  judge: (request, { allowedTools }) => judgeAnthropicRequest(request, allowedTools),
  size: (request) => ({
    output: outputOf(request),
    isHidden: request.stream !== true || (isJsonRecord(request.thinking) && request.thinking.type !== 'disabled'),
    // Inside a text the quotes would be escaped.
    isHourly: JSON.stringify(request).includes('"ttl":"1h"'),
  }),
  prepare,
  readPrompt: readAnthropicPrompt,
  usage: { sign: '"usage"', read: readUsage, written },
  readConversation: readAnthropicConversation,
  insertText: insertInAnthropic,
  offersTools: ({ tools }) => listRecordsOfValue(tools).length > 0,
  refuse: (status, message) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? 'api_error', message },
  }),
  answer: renderAnthropicResponse,
};

// Finds what an agent's CLI asks for. Other endpoints cost as much without reporting it: batches run for a day.
function findEndpoint(method: string, path: string): ModelApiEndpoint | null {
  const free = { isPaid: false, model: null, isStreamed: null };
  if (method === 'GET') return /^\/v1\/models(?:\/[\w.:@-]+)?$/.test(path) ? free : null;
  if (method !== 'POST') return null;
  if (path === '/v1/messages') return { ...free, isPaid: true };
  return path === '/v1/messages/count_tokens' ? free : null;
}

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  413: 'request_too_large',
  415: 'invalid_request_error',
};

function outputOf({ max_tokens }: JsonRecord): number {
  return typeof max_tokens === 'number' ? Math.max(0, max_tokens) : 0;
}

// Of a budget for thinking, which the API wants to be smaller than the answer's.
const leastThinking = 1_024;

function prepare(request: JsonRecord, output: number): JsonRecord {
  if (output >= outputOf(request)) return request;
  const { thinking } = request;
  const wanted = isJsonRecord(thinking) && typeof thinking.budget_tokens === 'number' ? thinking.budget_tokens : 0;
  const budget = Math.min(wanted, Math.max(leastThinking, Math.floor(output / 2)));
  return {
    ...request,
    max_tokens: output,
    ...(isJsonRecord(thinking) && wanted > 0 ? { thinking: { ...thinking, budget_tokens: budget } } : {}),
  };
}

/** message_delta repeats and corrects message_start. */
function readUsage({ usage, model, message }: JsonRecord): readonly ReportedUsage[] {
  const plain = { usage: isJsonRecord(usage) ? usage : null, model: textOrEmpty(model) };
  if (!isJsonRecord(message)) return [plain];
  return [plain, { usage: isJsonRecord(message.usage) ? message.usage : null, model: textOrEmpty(message.model) }];
}

// The headers that the claude CLI sends, but for its credential and those about the connection.
const known: readonly string[] = [
  ...listWords(`
    accept accept-language content-type user-agent x-app x-claude-code-session-id
    anthropic-version anthropic-dangerous-direct-browser-access
  `),
  ...listWords(`
    arch lang os package-version retry-count runtime runtime-version timeout helper-method async
  `).map((name) => `x-stainless-${name}`),
];

// Betas by their names without the day: of the versions 2.1 of the claude CLI, and of what its SDK offers.
// None lets the API reach elsewhere, or cost what its answers don't report.
const knownBetas = listWords(`
  claude-code interleaved-thinking thinking-token-count thinking-display-updates context-management
  prompt-caching-scope prompt-caching extended-cache-ttl mid-conversation-system per-turn-control effort
  context-1m fallback-credit oauth fine-grained-tool-streaming structured-outputs token-efficient-tools
  token-counting advanced-tool-use tool-search-tool tool-examples redact-thinking task-budgets output-128k
  max-tokens-3-5-sonnet dev-full-thinking web-search pdfs
`);

/** The headers of an agent's request that are passed on: those that are known, with the betas that are. */
function passAnthropicHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept = selectHeadersByName(headers, known);
  const betas = [headers['anthropic-beta'] ?? []].flat().join(',').split(',');
  const passed = betas
    .map((beta) => beta.trim())
    .filter((beta) => knownBetas.includes(beta.replace(/-\d{4}-?\d{2}-?\d{2}$/, '')));
  return passed.length === 0 ? kept : { ...kept, 'anthropic-beta': passed.join(',') };
}

/** See Dialect.readPrompt. */
function readAnthropicPrompt(request: JsonRecord): PromptText {
  let extra = 0;
  const { tool_choice, output_config, output_format, thinking } = request;
  const plain = (_key: string, value: unknown): unknown => {
    if (!isJsonRecord(value)) return value;
    // Cache marks move on from request to request.
    const { cache_control: _mark, ...rest } = value;
    if (value.type !== 'base64' || typeof value.data !== 'string') return rest;
    const isImage = `${value.media_type}`.startsWith('image/');
    extra += isImage ? tokensPerImage : Math.ceil(value.data.length / bytesPerDocumentToken);
    return { ...rest, data: hash('sha1', value.data) };
  };
  const marks: PromptCacheMark[] = [];
  let text = JSON.stringify([tool_choice, output_config, output_format, thinking], plain);
  const blocks = blocksOf(request);
  for (const [block, content] of blocks.entries()) {
    text += `\n${JSON.stringify(content, plain) ?? ''}`;
    if (isMarked(content) || (block === blocks.length - 1 && isMarked(request)))
      marks.push({ end: text.length, block });
  }
  return { text, extra, marks };
}

/** All that can have a mark, in the order the API caches it; of each message its role goes before. */
function blocksOf({ tools, system, messages }: JsonRecord): readonly unknown[] {
  const turns = listOf(messages).flatMap((one) => (isJsonRecord(one) ? [one.role, ...listOf(one.content)] : [one]));
  return [...listOf(tools), ...listOf(system), ...turns];
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined ? [] : [value];
}

function isMarked(block: unknown): boolean {
  return isJsonRecord(block) && isJsonRecord(block.cache_control);
}
