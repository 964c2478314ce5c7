import { isJsonRecord, type JsonRecord } from '../../../util/json.ts';
import { listWords } from '../../../util/sort-and-group.ts';
import type { RequestObjection } from './dialect.ts';
import { isInline } from './media.ts';
import {
  type AllowedRequestFields,
  asListOfValues,
  findFirst,
  findInvalidTokenCount,
  findNestedModelName,
  findUnknownField,
  objectToServerTool,
  objectToUnknownField,
  textOrEmpty,
} from './request-fields.ts';

const known: AllowedRequestFields = {
  names: [
    ...listWords(`
      model messages tools tool_choice parallel_tool_calls stream stream_options max_tokens max_completion_tokens
      temperature top_p stop seed presence_penalty frequency_penalty response_format reasoning_effort verbosity
      thinking user metadata safety_identifier prompt_cache_key prompt_cache_retention
    `),
    // Held to values that lead to nothing kept elsewhere, and change neither a price nor how often it is paid.
    ...listWords('n store service_tier web_search_options'),
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
export function judgeChat(request: JsonRecord, allowedTools: readonly string[]): RequestObjection | null {
  const maySearch = allowedTools.includes('WebSearch');
  const { web_search_options: search, ...rest } = request;
  return (
    objectToServerTool(
      findFirst(asListOfValues(request.tools), (tool) => findTool(tool, maySearch)) ??
        (isJsonRecord(search) && !maySearch ? 'web_search_options' : null) ??
        findFirst(
          asListOfValues(request.messages),
          (message) => findMessage(message) ?? (maySearch ? null : findServed(message)),
        ),
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
  return findFirst(asListOfValues(message.content), findSource);
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
