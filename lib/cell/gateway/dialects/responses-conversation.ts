import type { TokenUsage } from '../../../domain/config/token-price.ts';
import type { ConversationCall } from '../../../domain/ports/call-facts.ts';
import { isJsonRecord, type JsonRecord } from '../../../util/json.ts';
import { randomName } from '../../../util/short-names.ts';
import {
  type ReportedConversation,
  renderEventStream,
  type ScriptedHttpResponse,
  type ScriptedMessage,
  type TextAfterResult,
} from './dialect.ts';
import { joinTextParts, parseToolCallInput } from './openai.ts';
import { insertAfterResult, listRecordsOfValue, pairResults, textOrEmpty } from './request-fields.ts';

/** See Dialect.readConversation. */
export function readResponsesConversation({ input }: JsonRecord): ReportedConversation {
  const items = listRecordsOfValue(input);
  const calls = items.filter(({ type }) => isCall(type)).map(readCall);
  // Results stand between calls that were made at once. What is older is judged once more, and comes out as before.
  const lastAsked = items.findLastIndex(({ role }) => role === 'user');
  const results = items.flatMap(({ type, call_id, output }, index) =>
    isResult(type)
      ? [{ id: textOrEmpty(call_id), text: joinTextParts(output), isError: false, isNew: index > lastAsked }]
      : [],
  );
  return { results: pairResults(calls, results) };
}

/** See Dialect.insertText. */
export function insertInResponses(request: JsonRecord, { after, text }: TextAfterResult): JsonRecord {
  const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
  const at = { isResult: ({ type }: JsonRecord) => isResult(type), after, said };
  return { ...request, input: insertAfterResult(listRecordsOfValue(request.input), at) };
}

function isCall(type: unknown): boolean {
  return /^(?:function|custom_tool|local_shell|apply_patch)_call$/.test(String(type));
}

function isResult(type: unknown): boolean {
  return /^(?:function|custom_tool|local_shell|apply_patch)_call_output$/.test(String(type));
}

/** Between the name that tools are gathered under and their own. */
const namespaceEnd = '__';

function readCall(item: JsonRecord): ConversationCall {
  const { type, call_id, namespace, arguments: given, input, action, operation } = item;
  const id = textOrEmpty(call_id);
  const within = textOrEmpty(namespace);
  const name = `${within === '' ? '' : `${within}${namespaceEnd}`}${textOrEmpty(item.name)}`;
  if (type === 'custom_tool_call') return { id, name, input: textOrEmpty(input) };
  if (type === 'function_call') return { id, name, input: parseToolCallInput(given) };
  const done = isJsonRecord(action) ? action : isJsonRecord(operation) ? operation : {};
  return { id, name: String(type).replace(/_call$/, ''), input: done };
}

/** See Dialect.answer. */
export function renderResponsesResponse(said: ScriptedMessage, request: JsonRecord): ScriptedHttpResponse {
  const output = itemsOf(said, namespacesOf(request));
  const response = {
    id: randomName('resp'),
    object: 'response',
    created_at: 1,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: request.model,
    output,
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    usage: usageOf(said.usage),
  };
  if (request.stream !== true) return { contentType: 'application/json', body: JSON.stringify(response) };
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const events: readonly JsonRecord[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...output.flatMap(eventsOf),
    { type: 'response.completed', response },
  ];
  return renderEventStream(events.map((event, sequence_number) => ({ ...event, sequence_number })));
}

type Item =
  | {
      readonly type: 'message';
      readonly id: string;
      readonly content: readonly Text[];
      readonly [key: string]: unknown;
    }
  | {
      readonly type: 'function_call';
      readonly id: string;
      readonly arguments: string;
      readonly [key: string]: unknown;
    }
  | {
      readonly type: 'custom_tool_call';
      readonly id: string;
      readonly input: string;
      readonly [key: string]: unknown;
    };

interface Text {
  readonly type: 'output_text';
  readonly text: string;
  readonly annotations: readonly never[];
}

/** Names under which the request gathers tools: a call of one of those has it beside its own. */
function namespacesOf({ tools }: JsonRecord): readonly string[] {
  return listRecordsOfValue(tools)
    .filter(({ type }) => type === 'namespace')
    .map(({ name }) => textOrEmpty(name));
}

/** `mcp__flame__x` of the namespace `mcp__flame`: as the API says it. */
function asNamed(name: string, namespaces: readonly string[]): JsonRecord {
  const namespace = namespaces.find((one) => name.startsWith(`${one}${namespaceEnd}`));
  if (namespace === undefined) return { name };
  return { namespace, name: name.slice(namespace.length + namespaceEnd.length) };
}

function itemsOf({ text, calls }: ScriptedMessage, namespaces: readonly string[]): readonly Item[] {
  const said: Item = {
    type: 'message',
    id: randomName('msg'),
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
  return [
    ...(text === '' && calls.length > 0 ? [] : [said]),
    ...calls.map(({ id, name, input }): Item => {
      const call = { id: `item_${id}`, call_id: id, status: 'completed', ...asNamed(name, namespaces) };
      return typeof input === 'string'
        ? { ...call, type: 'custom_tool_call', input }
        : { ...call, type: 'function_call', arguments: JSON.stringify(input) };
    }),
  ];
}

function eventsOf(item: Item, output_index: number): readonly JsonRecord[] {
  const at = { item_id: item.id, output_index };
  const begun = { ...item, status: 'in_progress', ...emptied[item.type] };
  return [
    { type: 'response.output_item.added', output_index, item: begun },
    ...partsOf(item, at),
    { type: 'response.output_item.done', output_index, item },
  ];
}

const emptied: Readonly<Record<Item['type'], JsonRecord>> = {
  message: { content: [] },
  function_call: { arguments: '' },
  custom_tool_call: { input: '' },
};

function partsOf(item: Item, at: JsonRecord): readonly JsonRecord[] {
  if (item.type === 'function_call')
    return [
      { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments },
      { type: 'response.function_call_arguments.done', ...at, name: item.name, arguments: item.arguments },
    ];
  if (item.type === 'custom_tool_call')
    return [
      { type: 'response.custom_tool_call_input.delta', ...at, delta: item.input },
      { type: 'response.custom_tool_call_input.done', ...at, input: item.input },
    ];
  return item.content.flatMap((part, content_index) => [
    { type: 'response.content_part.added', ...at, content_index, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...at, content_index, delta: part.text, logprobs: [] },
    { type: 'response.output_text.done', ...at, content_index, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', ...at, content_index, part },
  ]);
}

function usageOf(usage: TokenUsage): JsonRecord {
  const cached = usage.cache_read_input_tokens ?? 0;
  const [input, output] = [(usage.input_tokens ?? 0) + cached, usage.output_tokens ?? 0];
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
