import { isJsonRecord, type JsonRecord } from '../../../util/json.ts';
import { listWords } from '../../../util/sort-and-group.ts';
import type { RequestObjection } from './dialect.ts';
import {
  type AllowedRequestFields,
  asListOfValues,
  findInvalidTokenCount,
  findNestedModelName,
  findUnknownField,
  objectToServerTool,
  objectToUnknownField,
} from './request-fields.ts';

/** See Dialect.judge. */
export function judgeAnthropicRequest(request: JsonRecord, allowedTools: readonly string[]): RequestObjection | null {
  return (
    objectToServerTool(findElsewhere(request, allowedTools)) ?? objectToUnknownField(unknownAnthropicField(request))
  );
}

/** Finds a part of a request that leads elsewhere; null: none. */
function findElsewhere(request: JsonRecord, allowedTools: readonly string[]): string | null {
  const servers = request.mcp_servers;
  if (servers !== undefined && !(Array.isArray(servers) && servers.length === 0)) return 'mcp_servers';
  const tool = asListOfValues(request.tools).find((one) => !isLocalTool(one, allowedTools));
  if (tool !== undefined) return `the tool ${String(isJsonRecord(tool) ? tool.type : tool).slice(0, 100)}`;
  const blocks = [
    ...asListOfValues(request.system),
    ...asListOfValues(request.messages).flatMap((one) => (isJsonRecord(one) ? asListOfValues(one.content) : [])),
  ];
  return findSource(blocks, allowedTools);
}

// Run by the client, which asks the watcher. What isn't listed may run anywhere.
const localTools = /^(?:custom|(?:bash|text_editor|computer|memory|tool_search_tool(?:_[a-z0-9]+)?)_\d{8})$/;
const serverTools: Readonly<Record<string, RegExp>> = {
  WebSearch: /^web_search_\d{8}$/,
  WebFetch: /^web_fetch_\d{8}$/,
};

function isLocalTool(tool: unknown, allowedTools: readonly string[]): boolean {
  if (!isJsonRecord(tool)) return false;
  const { type } = tool;
  if (type === undefined || type === null) return true;
  if (typeof type !== 'string') return false;
  return localTools.test(type) || allowedTools.some((name) => serverTools[name]?.test(type) ?? false);
}

const serverNames: Readonly<Record<string, string>> = { WebSearch: 'web_search', WebFetch: 'web_fetch' };

/** Whether the API made this call, or its result, without a watcher. Its own search among tools does nothing. */
function isDoneThere({ type, name }: JsonRecord, allowedTools: readonly string[]): boolean {
  const kind = String(type);
  if (/^mcp_tool_(?:use|result)$/.test(kind)) return true;
  const tool = kind === 'server_tool_use' ? String(name) : /^(\w+)_tool_result$/.exec(kind)?.[1];
  if (tool === undefined || tool.startsWith('tool_search')) return false;
  return !allowedTools.some((allowed) => serverNames[allowed] === tool);
}

// Of images and documents: the content itself, or where the API finds it.
const ownSources = ['base64', 'text', 'content'];

/** Blocks can hold blocks; what a tool was called with is the tool's business. */
function findSource(blocks: readonly unknown[], allowedTools: readonly string[]): string | null {
  const waiting = [...blocks];
  for (let block = waiting.pop(); block !== undefined; block = waiting.pop()) {
    if (!isJsonRecord(block)) continue;
    const { source, content, type } = block;
    if (isDoneThere(block, allowedTools)) return `a block of the type ${String(type)}`;
    if (type === 'container_upload') return 'a file of a container';
    if (isJsonRecord(source)) {
      if (!ownSources.includes(String(source.type))) return `a source of the type ${String(source.type)}`;
      waiting.push(...asListOfValues(source.content));
    }
    waiting.push(...(isJsonRecord(content) ? [content] : asListOfValues(content)));
  }
  return null;
}

// The fields that a request to the Messages API may hold.
const known: AllowedRequestFields = {
  names: [
    ...listWords(`
      model messages system tools tool_choice metadata max_tokens stream thinking context_management output_config
      output_format cache_control stop_sequences temperature top_p top_k
    `),
    // Held to values that change neither what a token costs nor where it is computed.
    ...listWords('speed service_tier inference_geo mcp_servers'),
  ],
  values: {
    speed: ['standard', null],
    service_tier: ['auto', 'standard_only', null],
    // The workspace of the account says where; what is asked for here would go before that.
    inference_geo: [null],
  },
};

// Fields that hold text of a person, a model or a tool.
const ownWords = new Set(['input', 'input_schema', 'schema', 'metadata', 'text', 'data', 'partial_json']);

/** The name of a field, with its value where that is the matter, that keeps a request from being sent; null: none. */
function unknownAnthropicField(request: JsonRecord): string | null {
  return (
    findUnknownField(request, known) ??
    findInvalidTokenCount(request, ['max_tokens']) ??
    unknownEdit(request.context_management) ??
    findNestedModelName(request, ownWords)
  );
}

/** Summaries that the API makes by itself are not in the counts of an answer. */
function unknownEdit(management: unknown): string | null {
  if (!isJsonRecord(management) || management.edits === undefined) return null;
  const { edits } = management;
  const all: readonly unknown[] = Array.isArray(edits) ? edits : [edits];
  const wrong = all.find((edit) => !isJsonRecord(edit) || !/^clear_\w+$/.test(`${edit.type}`));
  return wrong === undefined ? null : `context_management: ${isJsonRecord(wrong) ? `${wrong.type}` : 'edits'}`;
}
