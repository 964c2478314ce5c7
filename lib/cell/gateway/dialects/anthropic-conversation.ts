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
import { insertInTurnOfResult, listRecordsOfValue, pairResults, textOrEmpty } from './request-fields.ts';

/** See Dialect.readConversation. */
export function readAnthropicConversation({ messages }: JsonRecord): ReportedConversation {
  const blocks = listRecordsOfValue(messages).flatMap(({ role, content }, turn) =>
    listRecordsOfValue(content).map((block) => ({ block, role, turn })),
  );
  // The model's last message separates old results from new ones, also where it is plain text.
  const lastSaid = listRecordsOfValue(messages).findLastIndex(({ role }) => role === 'assistant');
  const calls = blocks.filter(({ block }) => block.type === 'tool_use').map(({ block }) => readCall(block));
  const results = blocks
    .filter(({ block }) => block.type === 'tool_result')
    .map(({ block, turn }) => ({
      id: textOrEmpty(block.tool_use_id),
      text: textOf(block.content),
      isError: block.is_error === true,
      isNew: turn > lastSaid,
    }));
  return { results: pairResults(calls, results) };
}

/** See Dialect.insertText. A turn's results come first in its message. */
export function insertInAnthropic(request: JsonRecord, { after, text }: TextAfterResult): JsonRecord {
  const isResult = ({ type }: JsonRecord): boolean => type === 'tool_result';
  const at = { isResult, after, said: { type: 'text', text } };
  return { ...request, messages: insertInTurnOfResult(listRecordsOfValue(request.messages), 'content', at) };
}

function readCall({ id, name, input }: JsonRecord): ConversationCall {
  return {
    id: textOrEmpty(id),
    name: textOrEmpty(name) || 'unknown',
    input: isJsonRecord(input) ? input : {},
  };
}

/** The first text: it says what became of the call. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const [first]: readonly unknown[] = Array.isArray(content) ? content : [];
  return isJsonRecord(first) ? textOrEmpty(first.text) : '';
}

/** See Dialect.answer. */
export function renderAnthropicResponse(said: ScriptedMessage, request: JsonRecord): ScriptedHttpResponse {
  const message = {
    // A client takes what comes under one id for one message, and sends it so with its next request.
    id: randomName('msg'),
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: contentOf(said),
    stop_reason: said.calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1, ...said.usage },
  };
  if (request.stream !== true) return { contentType: 'application/json', body: JSON.stringify(message) };
  // As the real one: the first event reports the input, the output is known at the end.
  const start = {
    ...message,
    content: [],
    stop_reason: null,
    usage: { ...message.usage, output_tokens: 1 },
  };
  return renderEventStream([
    { type: 'message_start', message: start },
    ...message.content.flatMap(eventsOf),
    {
      type: 'message_delta',
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: message.usage.output_tokens },
    },
    { type: 'message_stop' },
  ]);
}

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown };

function contentOf({ text, calls }: ScriptedMessage): readonly Block[] {
  return [
    ...(text === '' && calls.length > 0 ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ id, name, input }) => ({ type: 'tool_use' as const, id, name, input })),
  ];
}

function eventsOf(block: Block, index: number): readonly ({ readonly type: string } & JsonRecord)[] {
  const isText = block.type === 'text';
  return [
    {
      type: 'content_block_start',
      index,
      content_block: isText ? { ...block, text: '' } : { ...block, input: {} },
    },
    {
      type: 'content_block_delta',
      index,
      delta: isText
        ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
    },
    { type: 'content_block_stop', index },
  ];
}
