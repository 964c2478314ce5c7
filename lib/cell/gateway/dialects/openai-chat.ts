import type { TokenUsage } from '../../../domain/config/token-price.ts';
import type { ConversationCall } from '../../../domain/ports/call-facts.ts';
import { isJsonRecord, type JsonRecord } from '../../../util/json.ts';
import { randomName } from '../../../util/short-names.ts';
import { estimateMostTokens } from '../token-bound.ts';
import {
  type Dialect,
  type ModelApiEndpoint,
  type ReportedConversation,
  type ReportedUsage,
  type RequestObjection,
  renderEventStream,
  type ScriptedHttpResponse,
  type ScriptedMessage,
  type TextAfterResult,
} from './dialect.ts';
import { isInline } from './media.ts';
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
  type AllowedRequestFields,
  asListOfValues,
  countOrZero,
  findInvalidTokenCount,
  findNestedModelName,
  findUnknownField,
  insertAfterResult,
  listRecordsOfValue,
  objectToServerTool,
  objectToUnknownField,
  readRequestedOutputTokens,
  textOrEmpty,
} from './request-fields.ts';

const emptyDelta = estimateMostTokens('data: {"choices":[{"index":0,"delta":{"content":""}}]}');

/** OpenAI's Chat Completions, as Moonshot and many others speak it too. */
export const openaiChatDialect: Dialect = {
  name: 'chat',
  find: (method, path): ModelApiEndpoint | null => findOpenaiEndpoint(method, path, '/v1/chat/completions'),
  parameters: openaiListParameters,
  passHeaders: selectOpenaiHeaders,
  judge: (request, { allowedTools }) => judgeChat(request, allowedTools),
  // Thoughts are written unseen.
  size: (request) => ({ output: outputOf(request), isHidden: true, isHourly: false }),
  prepare,
  readPrompt: ({ tools, response_format, messages }) =>
    buildPromptText([tools, response_format], asListOfValues(messages)),
  usage: { sign: '"usage"', read: readUsage, written },
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
  const found = [value.usage, ...listRecordsOfValue(value.choices).map(({ usage }) => usage)].filter(
    isJsonRecord,
  );
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

function written(line: string): number {
  return line.includes('"delta"') ? Math.max(0, estimateMostTokens(line) - emptyDelta) : 0;
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
  const byId = new Map(calls.map((call) => [call.id, call]));
  const lastSaid = messages.findLastIndex(({ role }) => role === 'assistant');
  return {
    calls,
    results: messages.flatMap(({ role, tool_call_id, content }, index) => {
      if (role !== 'tool') return [];
      const id = textOrEmpty(tool_call_id);
      const call = byId.get(id);
      return [
        {
          id,
          name: call?.name ?? null,
          input: call?.input ?? null,
          text: joinTextParts(content),
          isError: false,
          isNew: index > lastSaid,
        },
      ];
    }),
  };
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

const known: AllowedRequestFields = {
  names: [
    'model',
    'messages',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'stream',
    'stream_options',
    'max_tokens',
    'max_completion_tokens',
    'temperature',
    'top_p',
    'stop',
    'seed',
    'presence_penalty',
    'frequency_penalty',
    'response_format',
    'reasoning_effort',
    'verbosity',
    'thinking',
    'user',
    'metadata',
    'safety_identifier',
    'prompt_cache_key',
    'prompt_cache_retention',
    // Held to values that lead to nothing kept elsewhere, and change neither a price nor how often it is paid.
    'n',
    'store',
    'service_tier',
    'web_search_options',
  ],
  values: {
    n: [1, null],
    store: [false, null],
    service_tier: ['auto', 'default', null],
    prompt_cache_retention: ['in_memory', 'in-memory', null],
    // In the place of a tool: see below.
    web_search_options: [null],
  },
};

const ownWords = new Set(['parameters', 'arguments', 'input', 'schema', 'json_schema', 'metadata', 'text']);

/** See Dialect.judge. */
function judgeChat(request: JsonRecord, allowedTools: readonly string[]): RequestObjection | null {
  const maySearch = allowedTools.includes('WebSearch');
  const { web_search_options: search, ...rest } = request;
  return (
    objectToServerTool(
      asListOfValues(request.tools)
        .map((tool) => findTool(tool, maySearch))
        .find((one) => one !== null) ??
        (isJsonRecord(search) && !maySearch ? 'web_search_options' : null) ??
        asListOfValues(request.messages)
          .map((message) => findMessage(message) ?? (maySearch ? null : findServed(message)))
          .find((one) => one !== null) ??
        null,
    ) ??
    objectToUnknownField(
      findUnknownField(isJsonRecord(search) ? rest : request, known) ??
        findInvalidTokenCount(request, ['max_tokens', 'max_completion_tokens']) ??
        findNestedModelName({ ...request, metadata: null }, ownWords),
    )
  );
}

/** A tool that the API would run itself: Moonshot's own functions begin with a dollar sign. */
function findTool(tool: unknown, maySearch: boolean): string | null {
  if (!isJsonRecord(tool)) return `the tool ${JSON.stringify(tool)}`;
  const { type, function: declared, custom } = tool;
  const name = textOrEmpty(isJsonRecord(declared) ? declared.name : isJsonRecord(custom) ? custom.name : '');
  if (maySearch && name === '$web_search') return null;
  const isLocal = (type === 'function' || type === 'custom') && name !== '' && !name.startsWith('$');
  return isLocal ? null : `the tool ${name === '' ? String(type) : name}`;
}

// Moonshot takes what it keeps itself as a message of the role `cache`.
const roles = ['system', 'developer', 'user', 'assistant', 'tool'];

function findMessage(message: unknown): string | null {
  if (!isJsonRecord(message)) return `a message ${JSON.stringify(message)}`;
  if (!roles.includes(String(message.role))) return `a message of the role ${String(message.role)}`;
  return (
    asListOfValues(message.content)
      .map(findSource)
      .find((one) => one !== null) ?? null
  );
}

/** Finds a call that the API itself would carry out. */
function findServed(message: unknown): string | null {
  const calls = isJsonRecord(message) ? asListOfValues(message.tool_calls).filter(isJsonRecord) : [];
  const served = calls.find(({ type }) => type !== undefined && type !== 'function' && type !== 'custom');
  return served === undefined ? null : `a call of the type ${String(served.type)}`;
}

const ownParts = ['text', 'refusal', 'input_audio', 'think', 'reasoning'];

/** A part holds its content, or says where the API finds it. */
function findSource(part: unknown): string | null {
  if (!isJsonRecord(part)) return null;
  const { type, file } = part;
  if (type === 'image_url' || type === 'video_url' || type === 'audio_url') {
    const source = part[type];
    return isInline(isJsonRecord(source) ? source.url : source) ? null : `the ${type} of another address`;
  }
  if (type === 'file') {
    const isOwn = isJsonRecord(file) && isInline(file.file_data) && (file.file_id ?? null) === null;
    return isOwn ? null : 'a file that is kept at the API';
  }
  return ownParts.includes(String(type)) ? null : `a part of the type ${String(type)}`;
}
