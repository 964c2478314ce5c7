import type { TokenUsage } from '../../../domain/config/token-price.ts';
import type { ConversationCall } from '../../../domain/ports/call-facts.ts';
import { isJsonRecord, type JsonRecord } from '../../../util/json.ts';
import { randomName } from '../../../util/short-names.ts';
import {
  createLineEstimator,
  type Dialect,
  type ModelApiEndpoint,
  type ReportedConversation,
  type ReportedUsage,
  renderEventStream,
  type ScriptedHttpResponse,
  type ScriptedMessage,
  type TextAfterResult,
} from './dialect.ts';
import { judgeChat } from './judge-openai-chat.ts';
import {
  buildPromptText,
  findOpenaiEndpoint,
  joinTextParts,
  openaiListParameters,
  parseToolCallInput,
  renderOpenaiError,
  selectOpenaiHeaders,
} from './openai.ts';
import {
  asListOfValues,
  countOrZero,
  insertAfterResult,
  listRecordsOfValue,
  pairResults,
  readRequestedOutputTokens,
  textOrEmpty,
} from './request-fields.ts';

const empty = 'data: {"choices":[{"index":0,"delta":{"content":""}}]}';

/** OpenAI's Chat Completions, as Moonshot and many others speak it too. */
export const openaiChatDialect: Dialect = {
  find: (method, path): ModelApiEndpoint | null => findOpenaiEndpoint(method, path, '/v1/chat/completions'),
  parameters: openaiListParameters,
  passHeaders: selectOpenaiHeaders,
  judge: (request, { allowedTools }) => judgeChat(request, allowedTools),
  // Thoughts are written unseen.
  size: (request) => ({ output: outputOf(request), isHidden: true, isHourly: false }),
  prepare,
  readPrompt: ({ tools, response_format, messages }) =>
    buildPromptText([tools, response_format], asListOfValues(messages)),
  usage: { sign: '"usage"', read: readUsage, written: createLineEstimator('"delta"', empty) },
  readConversation: readChatConversation,
  insertText: insertInChat,
  offersTools: ({ tools }) => listRecordsOfValue(tools).length > 0,
  refuse: renderOpenaiError,
  answer: (said, request) => answerChat(said, request),
};

function outputOf({ max_tokens, max_completion_tokens }: JsonRecord): number {
  return readRequestedOutputTokens([max_tokens, max_completion_tokens]);
}

/** A stream reports what it used only where it is asked to. */
function prepare(request: JsonRecord, output: number): JsonRecord {
  const { max_tokens, max_completion_tokens: _stated, ...rest } = request;
  const most = Math.min(output, outputOf(request));
  // Servers that speak an older version know the older name alone.
  const name = typeof max_tokens === 'number' ? 'max_tokens' : 'max_completion_tokens';
  if (request.stream !== true) return { ...rest, [name]: most };
  const { stream_options } = request;
  const options = { ...(isJsonRecord(stream_options) ? stream_options : {}), include_usage: true };
  return { ...rest, [name]: most, stream_options: options };
}

/** Moonshot reports it in the last choice, too. */
function readUsage(value: JsonRecord): readonly ReportedUsage[] {
  const model = textOrEmpty(value.model);
  const found = [value.usage, ...listRecordsOfValue(value.choices).map(({ usage }) => usage)].filter(isJsonRecord);
  return [{ usage: null, model }, ...found.map((usage) => ({ usage: usageOf(usage), model }))];
}

function usageOf(usage: JsonRecord): JsonRecord {
  const details = isJsonRecord(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const cached = Math.max(countOrZero(details.cached_tokens), countOrZero(usage.cached_tokens));
  const written = countOrZero(details.cache_write_tokens);
  return {
    input_tokens: Math.max(0, countOrZero(usage.prompt_tokens) - cached - written),
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
    output_tokens: countOrZero(usage.completion_tokens),
  };
}

/** See Dialect.answer. */
function answerChat(said: ScriptedMessage, request: JsonRecord): ScriptedHttpResponse {
  const common = { id: randomName('chatcmpl'), created: 1, model: request.model };
  const finish_reason = said.calls.length > 0 ? 'tool_calls' : 'stop';
  const content = said.text === '' && said.calls.length > 0 ? null : said.text;
  const tool_calls = said.calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }));
  const called = tool_calls.length > 0 ? { tool_calls } : {};
  const usage = chatUsage(said.usage);
  if (request.stream !== true) {
    const message = { role: 'assistant', content, ...called };
    const choices = [{ index: 0, message, finish_reason }];
    const body = { ...common, object: 'chat.completion', choices, usage };
    return { contentType: 'application/json', body: JSON.stringify(body) };
  }
  const chunk = (delta: JsonRecord, finish: string | null): JsonRecord => ({
    ...common,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return renderEventStream(
    [
      chunk({ role: 'assistant', content: content ?? '' }, null),
      ...tool_calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] }, null)),
      chunk({}, finish_reason),
      { ...common, object: 'chat.completion.chunk', choices: [], usage },
    ],
    'data: [DONE]\n\n',
  );
}

function chatUsage(usage: TokenUsage): JsonRecord {
  const cached = usage.cache_read_input_tokens ?? 0;
  const [input, output] = [(usage.input_tokens ?? 0) + cached, usage.output_tokens ?? 0];
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

/** See Dialect.readConversation. */
function readChatConversation(request: JsonRecord): ReportedConversation {
  const messages = listRecordsOfValue(request.messages);
  const calls = messages.flatMap(({ tool_calls }) => listRecordsOfValue(tool_calls).map(readCall));
  const lastSaid = messages.findLastIndex(({ role }) => role === 'assistant');
  const results = messages.flatMap(({ role, tool_call_id, content }, index) =>
    role === 'tool'
      ? [{ id: textOrEmpty(tool_call_id), text: joinTextParts(content), isError: false, isNew: index > lastSaid }]
      : [],
  );
  return { results: pairResults(calls, results) };
}

/** See Dialect.insertText. */
function insertInChat(request: JsonRecord, { after, text }: TextAfterResult): JsonRecord {
  const isResult = ({ role }: JsonRecord): boolean => role === 'tool';
  const said = { role: 'user', content: text };
  return {
    ...request,
    messages: insertAfterResult(listRecordsOfValue(request.messages), { isResult, after, said }),
  };
}

function readCall({ id, function: called, custom }: JsonRecord): ConversationCall {
  if (isJsonRecord(custom))
    return { id: textOrEmpty(id), name: textOrEmpty(custom.name), input: textOrEmpty(custom.input) };
  const { name, arguments: given } = isJsonRecord(called) ? called : {};
  return { id: textOrEmpty(id), name: textOrEmpty(name), input: parseToolCallInput(given) };
}
