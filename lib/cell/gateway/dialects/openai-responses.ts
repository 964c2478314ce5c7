import { isJsonRecord, type JsonRecord } from '../../../util/json.ts';
import { listWords } from '../../../util/sort-and-group.ts';
import {
  createLineEstimator,
  type Dialect,
  type ModelApiEndpoint,
  type ReportedUsage,
  type RequestObjection,
} from './dialect.ts';
import { isInline } from './media.ts';
import {
  buildPromptText,
  findOpenaiEndpoint,
  openaiListParameters,
  renderOpenaiError,
  selectOpenaiHeaders,
} from './openai.ts';
import {
  type AllowedRequestFields,
  asListOfValues,
  countOrZero,
  findFirst,
  findInvalidTokenCount,
  findNestedModelName,
  findUnknownField,
  listRecordsOfValue,
  objectToServerTool,
  objectToUnknownField,
  readRequestedOutputTokens,
  textOrEmpty,
} from './request-fields.ts';
import { insertInResponses, readResponsesConversation, renderResponsesResponse } from './responses-conversation.ts';

const includes = ['reasoning.encrypted_content', 'message.output_text.logprobs'];

const empty = 'data: {"type":"response.output_text.delta","item_id":"","delta":""}';

/** OpenAI's Responses API. */
export const openaiResponsesDialect: Dialect = {
  find: (method, path): ModelApiEndpoint | null => findOpenaiEndpoint(method, path, '/v1/responses'),
  parameters: openaiListParameters,
  passHeaders: selectOpenaiHeaders,
  judge: (request, { allowedTools }) => judgeResponses(request, allowedTools),
  // Thoughts are written unseen.
  size: (request) => ({ output: outputOf(request), isHidden: true, isHourly: false }),
  prepare: (request, output) => ({ ...request, max_output_tokens: Math.min(output, outputOf(request)) }),
  readPrompt: ({ tools, instructions, text, input }) =>
    buildPromptText([tools, instructions, text], Array.isArray(input) ? input : [input]),
  usage: { sign: '"usage"', read: readUsage, written: createLineEstimator('.delta"', empty) },
  readConversation: readResponsesConversation,
  insertText: insertInResponses,
  offersTools: ({ tools, input }) =>
    listRecordsOfValue(tools).length > 0 || listRecordsOfValue(input).some(({ type }) => type === 'additional_tools'),
  refuse: renderOpenaiError,
  answer: (said, request) => renderResponsesResponse(said, request),
};

function outputOf({ max_output_tokens }: JsonRecord): number {
  return readRequestedOutputTokens([max_output_tokens]);
}

/** The last event holds the whole response. */
function readUsage(value: JsonRecord): readonly ReportedUsage[] {
  const { usage, model, output } = isJsonRecord(value.response) ? value.response : value;
  if (!isJsonRecord(usage)) return [{ usage: null, model: textOrEmpty(model) }];
  const details = isJsonRecord(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const [cached, written] = [countOrZero(details.cached_tokens), countOrZero(details.cache_write_tokens)];
  const searches = listRecordsOfValue(output).filter(({ type }) => type === 'web_search_call').length;
  return [
    {
      usage: {
        input_tokens: Math.max(0, countOrZero(usage.input_tokens) - cached - written),
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: written,
        output_tokens: countOrZero(usage.output_tokens),
        ...(searches > 0 ? { server_tool_use: { web_search_requests: searches } } : {}),
      },
      model: textOrEmpty(model),
    },
  ];
}

const known: AllowedRequestFields = {
  names: [
    ...listWords(`
      model input instructions tools tool_choice parallel_tool_calls max_tool_calls reasoning text include store
      stream stream_options truncation max_output_tokens temperature top_p top_logprobs prompt_cache_key
      prompt_cache_retention metadata client_metadata user safety_identifier
    `),
    // Held to values that lead to nothing kept elsewhere, and change no price.
    ...listWords('previous_response_id conversation prompt background service_tier context_management'),
  ],
  values: {
    previous_response_id: [null],
    conversation: [null],
    prompt: [null],
    background: [false, null],
    service_tier: ['auto', 'default', null],
    context_management: [null],
    prompt_cache_retention: ['in_memory', 'in-memory', null],
  },
};

// A tool's name for its parameters, and what was said.
const ownWords = new Set(['parameters', 'arguments', 'schema', 'metadata', 'client_metadata', 'text', 'format']);

/** See Dialect.judge. */
function judgeResponses(request: JsonRecord, allowedTools: readonly string[]): RequestObjection | null {
  return (
    objectToServerTool(
      findTool(asListOfValues(request.tools), allowedTools) ?? findItem(asListOfValues(request.input), allowedTools),
    ) ??
    objectToUnknownField(
      findUnknownField(request, known) ??
        unknownInclude(request.include) ??
        findInvalidTokenCount(request, ['max_output_tokens']) ??
        findNestedModelName({ ...request, client_metadata: null, metadata: null }, ownWords),
    )
  );
}

// Run by the client, which asks the watcher. What isn't listed may run anywhere.
const localTools = ['function', 'custom', 'local_shell', 'apply_patch'];
const serverTools: Readonly<Record<string, RegExp>> = {
  WebSearch: /^web_search(?:_preview)?(?:_\d{4}_\d\d_\d\d)?$/,
};

/** A tool that the API would run itself; tools can be gathered under a name. */
function findTool(tools: readonly unknown[], allowedTools: readonly string[]): string | null {
  const waiting = [...tools];
  for (let tool = waiting.pop(); tool !== undefined; tool = waiting.pop()) {
    const type = isJsonRecord(tool) && typeof tool.type === 'string' ? tool.type : '';
    if (isJsonRecord(tool) && type === 'namespace') waiting.push(...asListOfValues(tool.tools));
    else if (!localTools.includes(type) && !allowedTools.some((name) => serverTools[name]?.test(type) ?? false))
      return `the tool ${type || JSON.stringify(tool)}`;
  }
  return null;
}

// Of what was said and done; all else refers to what is kept at the API, or is done there.
const ownItems =
  /^(?:message|reasoning|(?:function_call|custom_tool_call|local_shell_call|apply_patch_call)(?:_output)?)$/;

function findItem(items: readonly unknown[], allowedTools: readonly string[]): string | null {
  for (const item of items) {
    if (!isJsonRecord(item)) return `an item ${JSON.stringify(item)}`;
    const type = typeof item.type === 'string' ? item.type : 'message';
    if (type === 'additional_tools') {
      const tool = findTool(asListOfValues(item.tools), allowedTools);
      if (tool !== null) return tool;
    } else if (!ownItems.test(type) && !(type === 'web_search_call' && allowedTools.includes('WebSearch')))
      return `an item of the type ${type}`;
    const part = findFirst([...asListOfValues(item.content), ...asListOfValues(item.output)], findSource);
    if (part !== null) return part;
  }
  return null;
}

const ownParts = ['input_text', 'output_text', 'summary_text', 'reasoning_text', 'refusal', 'text'];

function findSource(part: unknown): string | null {
  if (!isJsonRecord(part)) return null;
  const { type, image_url, file_id, file_url } = part;
  if (file_id !== undefined && file_id !== null) return 'a file that is kept at the API';
  if (file_url !== undefined && file_url !== null) return 'a file of another address';
  if (type === 'input_image') return isInline(image_url) ? null : 'an image of another address';
  if (type === 'input_file') return typeof part.file_data === 'string' ? null : 'a file';
  return ownParts.includes(String(type)) ? null : `a part of the type ${String(type)}`;
}

function unknownInclude(include: unknown): string | null {
  const other = asListOfValues(include).find((one) => !includes.includes(String(one)));
  return other === undefined ? null : `include: ${String(other).slice(0, 100)}`;
}
