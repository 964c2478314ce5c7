import { isRecord, type JsonRecord } from '../../../util/json-record.ts';
import { boundTokens } from '../token-bound.ts';
import { answerAnthropic } from './anthropic-answer.ts';
import { readAnthropicConversation, sayToAnthropic } from './anthropic-conversation.ts';
import { passAnthropicHeaders } from './anthropic-headers.ts';
import { readAnthropicPrompt } from './anthropic-prompt.ts';
import { judgeAnthropic } from './anthropic-request.ts';
import type { Dialect, Endpoint, Reported } from './dialect.ts';
import { recordsOf, textOr } from './lists.ts';

/** The Messages API. */
export const anthropic: Dialect = {
  name: 'anthropic',
  find: findEndpoint,
  parameters: {
    beta: /^true$/,
    limit: /^\d{1,4}$/,
    before_id: /^[\w.:@-]{1,100}$/,
    after_id: /^[\w.:@-]{1,100}$/,
  },
  passHeaders: passAnthropicHeaders,
  judge: (request, { allowedTools }) => judgeAnthropic(request, allowedTools),
  size: (request) => ({
    output: outputOf(request),
    isHidden: request.stream !== true || (isRecord(request.thinking) && request.thinking.type !== 'disabled'),
    // Inside a text the quotes would be escaped.
    isHourly: JSON.stringify(request).includes('"ttl":"1h"'),
  }),
  prepare,
  readPrompt: readAnthropicPrompt,
  usage: { sign: '"usage"', read: readUsage, written },
  readConversation: readAnthropicConversation,
  say: sayToAnthropic,
  offersTools: ({ tools }) => recordsOf(tools).length > 0,
  refuse: (status, message) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? 'api_error', message },
  }),
  answer: answerAnthropic,
};

// What an agent's CLI asks for. Others cost as much, and their answers don't say so: batches run for a day.
function findEndpoint(method: string, path: string): Endpoint | null {
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
  const wanted =
    isRecord(thinking) && typeof thinking.budget_tokens === 'number' ? thinking.budget_tokens : 0;
  const budget = Math.min(wanted, Math.max(leastThinking, Math.floor(output / 2)));
  return {
    ...request,
    max_tokens: output,
    ...(isRecord(thinking) && wanted > 0 ? { thinking: { ...thinking, budget_tokens: budget } } : {}),
  };
}

/** message_delta repeats and corrects message_start. */
function readUsage({ usage, model, message }: JsonRecord): readonly Reported[] {
  const plain = { usage: isRecord(usage) ? usage : null, model: textOr(model) };
  if (!isRecord(message)) return [plain];
  return [plain, { usage: isRecord(message.usage) ? message.usage : null, model: textOr(message.model) }];
}

// The line of an event that brings no text.
const emptyDelta = boundTokens(
  'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""}}',
);

/** Close enough, and nothing has to be parsed. */
function written(line: string): number {
  return line.includes('"content_block_delta"') ? Math.max(0, boundTokens(line) - emptyDelta) : 0;
}
