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
  const calls = items.filter(({ type }) => callTypes.test(String(type))).map(readCall);
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

const callTypes = /^(?:function|custom_tool|local_shell|apply_patch)_call$/;

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
  const namespaces = namespacesOf(request);
  const items = [
    ...(said.text === '' && said.calls.length > 0 ? [] : [sayText(said.text)]),
    ...said.calls.map((call) => sayCall(call, namespaces)),
  ];
  const output = items.map(({ item }) => item);
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
    ...items.flatMap(eventsOf),
    { type: 'response.completed', response },
  ];
  return renderEventStream(events.map((event, sequence_number) => ({ ...event, sequence_number })));
}

/** Names under which the request gathers tools: a call of one of those has it beside its own. */
function namespacesOf({ tools }: JsonRecord): readonly string[] {
  return listRecordsOfValue(tools)
    .filter(({ type }) => type === 'namespace')
    .map(({ name }) => textOrEmpty(name));
}

/** `mcp__flame__x` of the namespace `mcp__flame`: as the API says it. */
function asNamed(name: string, namespaces: readonly string[]): { readonly name: string; readonly namespace?: string } {
  const namespace = namespaces.find((one) => name.startsWith(`${one}${namespaceEnd}`));
  if (namespace === undefined) return { name };
  return { namespace, name: name.slice(namespace.length + namespaceEnd.length) };
}

/** An item of an answer, with what it lacks as it begins and the events between. */
interface SaidItem {
  readonly item: JsonRecord;
  readonly begun: JsonRecord;
  parts(at: JsonRecord): readonly JsonRecord[];
}

function sayText(text: string): SaidItem {
  const part = { type: 'output_text', text, annotations: [] };
  const item = { type: 'message', id: randomName('msg'), status: 'completed', role: 'assistant', content: [part] };
  return {
    item,
    begun: { content: [] },
    parts: (at) => [
      { type: 'response.content_part.added', ...at, content_index: 0, part: { ...part, text: '' } },
      { type: 'response.output_text.delta', ...at, content_index: 0, delta: text, logprobs: [] },
      { type: 'response.output_text.done', ...at, content_index: 0, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, content_index: 0, part },
    ],
  };
}

function sayCall({ id, name, input }: ScriptedMessage['calls'][number], namespaces: readonly string[]): SaidItem {
  const call = { id: `item_${id}`, call_id: id, status: 'completed', ...asNamed(name, namespaces) };
  if (typeof input === 'string')
    return {
      item: { ...call, type: 'custom_tool_call', input },
      begun: { input: '' },
      parts: (at) => [
        { type: 'response.custom_tool_call_input.delta', ...at, delta: input },
        { type: 'response.custom_tool_call_input.done', ...at, input },
      ],
    };
  const given = JSON.stringify(input);
  return {
    item: { ...call, type: 'function_call', arguments: given },
    begun: { arguments: '' },
    parts: (at) => [
      { type: 'response.function_call_arguments.delta', ...at, delta: given },
      { type: 'response.function_call_arguments.done', ...at, name: call.name, arguments: given },
    ],
  };
}

function eventsOf({ item, begun, parts }: SaidItem, output_index: number): readonly JsonRecord[] {
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', ...begun } },
    ...parts({ item_id: item.id, output_index }),
    { type: 'response.output_item.done', output_index, item },
  ];
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
