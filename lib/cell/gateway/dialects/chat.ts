import { isRecord, type JsonRecord } from '../../../util/json-record.ts';
import { boundTokens } from '../token-bound.ts';
import { answerChat } from './chat-answer.ts';
import { readChatConversation, sayInChat } from './chat-conversation.ts';
import { judgeChat } from './chat-request.ts';
import type { Dialect, Endpoint, Reported } from './dialect.ts';
import { countOf, listOf, recordsOf, textOr } from './lists.ts';
import { findOpenaiEndpoint, listParameters } from './openai-endpoints.ts';
import { refuseLikeOpenai } from './openai-errors.ts';
import { passOpenaiHeaders } from './openai-headers.ts';
import { statedOutput } from './output-limit.ts';
import { promptOf } from './prompt-lines.ts';

/** OpenAI's Chat Completions, as Moonshot and many others speak it too. */
export const chat: Dialect = {
  name: 'chat',
  find: (method, path): Endpoint | null => findOpenaiEndpoint(method, path, '/v1/chat/completions'),
  parameters: listParameters,
  passHeaders: passOpenaiHeaders,
  judge: (request, { allowedTools }) => judgeChat(request, allowedTools),
  // Thoughts are written unseen.
  size: (request) => ({ output: outputOf(request), isHidden: true, isHourly: false }),
  prepare,
  readPrompt: ({ tools, response_format, messages }) => promptOf([tools, response_format], listOf(messages)),
  usage: { sign: '"usage"', read: readUsage, written },
  readConversation: readChatConversation,
  say: sayInChat,
  offersTools: ({ tools }) => recordsOf(tools).length > 0,
  refuse: refuseLikeOpenai,
  answer: (said, request) => answerChat(said, request),
};

function outputOf({ max_tokens, max_completion_tokens }: JsonRecord): number {
  return statedOutput([max_tokens, max_completion_tokens]);
}

/** A stream reports what it used only where it is asked to. */
function prepare(request: JsonRecord, output: number): JsonRecord {
  const { max_tokens, max_completion_tokens: _stated, ...rest } = request;
  const most = Math.min(output, outputOf(request));
  // Servers that speak an older version know the older name alone.
  const name = typeof max_tokens === 'number' ? 'max_tokens' : 'max_completion_tokens';
  if (request.stream !== true) return { ...rest, [name]: most };
  const { stream_options } = request;
  const options = { ...(isRecord(stream_options) ? stream_options : {}), include_usage: true };
  return { ...rest, [name]: most, stream_options: options };
}

/** Moonshot reports it in the last choice, too. */
function readUsage(value: JsonRecord): readonly Reported[] {
  const model = textOr(value.model);
  const found = [value.usage, ...recordsOf(value.choices).map(({ usage }) => usage)].filter(isRecord);
  return [{ usage: null, model }, ...found.map((usage) => ({ usage: usageOf(usage), model }))];
}

function usageOf(usage: JsonRecord): JsonRecord {
  const details = isRecord(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const cached = Math.max(countOf(details.cached_tokens), countOf(usage.cached_tokens));
  const written = countOf(details.cache_write_tokens);
  return {
    input_tokens: Math.max(0, countOf(usage.prompt_tokens) - cached - written),
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
    output_tokens: countOf(usage.completion_tokens),
  };
}

const emptyDelta = boundTokens('data: {"choices":[{"index":0,"delta":{"content":""}}]}');

function written(line: string): number {
  return line.includes('"delta"') ? Math.max(0, boundTokens(line) - emptyDelta) : 0;
}
