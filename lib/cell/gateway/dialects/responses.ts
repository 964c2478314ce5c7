import { isRecord, type JsonRecord } from '../../../util/json.ts';
import { boundTokens } from '../token-bound.ts';
import type { Dialect, Endpoint, Objection, Reported } from './dialect.ts';
import {
  countOf,
  invalidTokenCount,
  type KnownFields,
  listOf,
  nestedModel,
  recordsOf,
  refuseServerSide,
  refuseUnknownField,
  requestedOutput,
  textOr,
  unknownField,
} from './fields.ts';
import { isInline } from './media.ts';
import {
  findOpenaiEndpoint,
  listParameters,
  passOpenaiHeaders,
  promptOf,
  refuseLikeOpenai,
} from './openai.ts';
import { answerResponses, insertInResponses, readResponsesConversation } from './responses-conversation.ts';

const includes = ['reasoning.encrypted_content', 'message.output_text.logprobs'];

const emptyDelta = boundTokens('data: {"type":"response.output_text.delta","item_id":"","delta":""}');

/** OpenAI's Responses API. */
export const responses: Dialect = {
  name: 'responses',
  find: (method, path): Endpoint | null => findOpenaiEndpoint(method, path, '/v1/responses'),
  parameters: listParameters,
  passHeaders: passOpenaiHeaders,
  judge: (request, { allowedTools }) => judgeResponses(request, allowedTools),
  // Thoughts are written unseen.
  size: (request) => ({ output: outputOf(request), isHidden: true, isHourly: false }),
  prepare: (request, output) => ({ ...request, max_output_tokens: Math.min(output, outputOf(request)) }),
  readPrompt: ({ tools, instructions, text, input }) =>
    promptOf([tools, instructions, text], Array.isArray(input) ? input : [input]),
  usage: { sign: '"usage"', read: readUsage, written },
  readConversation: readResponsesConversation,
  insertText: insertInResponses,
  offersTools: ({ tools, input }) =>
    recordsOf(tools).length > 0 || recordsOf(input).some(({ type }) => type === 'additional_tools'),
  refuse: refuseLikeOpenai,
  answer: (said, request) => answerResponses(said, request),
};

function outputOf({ max_output_tokens }: JsonRecord): number {
  return requestedOutput([max_output_tokens]);
}

/** The last event holds the whole response. */
function readUsage(value: JsonRecord): readonly Reported[] {
  const { usage, model, output } = isRecord(value.response) ? value.response : value;
  if (!isRecord(usage)) return [{ usage: null, model: textOr(model) }];
  const details = isRecord(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const [cached, written] = [countOf(details.cached_tokens), countOf(details.cache_write_tokens)];
  const searches = recordsOf(output).filter(({ type }) => type === 'web_search_call').length;
  return [
    {
      usage: {
        input_tokens: Math.max(0, countOf(usage.input_tokens) - cached - written),
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: written,
        output_tokens: countOf(usage.output_tokens),
        ...(searches > 0 ? { server_tool_use: { web_search_requests: searches } } : {}),
      },
      model: textOr(model),
    },
  ];
}

function written(line: string): number {
  return line.includes('.delta"') ? Math.max(0, boundTokens(line) - emptyDelta) : 0;
}

const known: KnownFields = {
  names: [
    'model',
    'input',
    'instructions',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'max_tool_calls',
    'reasoning',
    'text',
    'include',
    'store',
    'stream',
    'stream_options',
    'truncation',
    'max_output_tokens',
    'temperature',
    'top_p',
    'top_logprobs',
    'prompt_cache_key',
    'prompt_cache_retention',
    'metadata',
    'client_metadata',
    'user',
    'safety_identifier',
    // Held to values that lead to nothing kept elsewhere, and change no price.
    'previous_response_id',
    'conversation',
    'prompt',
    'background',
    'service_tier',
    'context_management',
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
const ownWords = new Set([
  'parameters',
  'arguments',
  'schema',
  'metadata',
  'client_metadata',
  'text',
  'format',
]);

/** See Dialect.judge. */
function judgeResponses(request: JsonRecord, allowedTools: readonly string[]): Objection | null {
  return (
    refuseServerSide(
      findTool(listOf(request.tools), allowedTools) ?? findItem(listOf(request.input), allowedTools),
    ) ??
    refuseUnknownField(
      unknownField(request, known) ??
        unknownInclude(request.include) ??
        invalidTokenCount(request, ['max_output_tokens']) ??
        nestedModel({ ...request, client_metadata: null, metadata: null }, ownWords),
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
    const type = isRecord(tool) && typeof tool.type === 'string' ? tool.type : '';
    if (isRecord(tool) && type === 'namespace') waiting.push(...listOf(tool.tools));
    else if (
      !localTools.includes(type) &&
      !allowedTools.some((name) => serverTools[name]?.test(type) ?? false)
    )
      return `the tool ${type || JSON.stringify(tool)}`;
  }
  return null;
}

// Of what was said and done; all else refers to what is kept at the API, or is done there.
const ownItems =
  /^(?:message|reasoning|(?:function_call|custom_tool_call|local_shell_call|apply_patch_call)(?:_output)?)$/;

function findItem(items: readonly unknown[], allowedTools: readonly string[]): string | null {
  for (const item of items) {
    if (!isRecord(item)) return `an item ${JSON.stringify(item)}`;
    const type = typeof item.type === 'string' ? item.type : 'message';
    if (type === 'additional_tools') {
      const tool = findTool(listOf(item.tools), allowedTools);
      if (tool !== null) return tool;
    } else if (!ownItems.test(type) && !(type === 'web_search_call' && allowedTools.includes('WebSearch')))
      return `an item of the type ${type}`;
    const part = [...listOf(item.content), ...listOf(item.output)]
      .map(findSource)
      .find((one) => one !== null);
    if (part !== undefined) return part;
  }
  return null;
}

const ownParts = ['input_text', 'output_text', 'summary_text', 'reasoning_text', 'refusal', 'text'];

function findSource(part: unknown): string | null {
  if (!isRecord(part)) return null;
  const { type, image_url, file_id, file_url } = part;
  if (file_id !== undefined && file_id !== null) return 'a file that is kept at the API';
  if (file_url !== undefined && file_url !== null) return 'a file of another address';
  if (type === 'input_image') return isInline(image_url) ? null : 'an image of another address';
  if (type === 'input_file') return typeof part.file_data === 'string' ? null : 'a file';
  return ownParts.includes(String(type)) ? null : `a part of the type ${String(type)}`;
}

function unknownInclude(include: unknown): string | null {
  const other = listOf(include).find((one) => !includes.includes(String(one)));
  return other === undefined ? null : `include: ${String(other).slice(0, 100)}`;
}
