import type { JsonRecord } from '../../../util/json.ts';
import { randomName } from '../../../util/short-names.ts';
import type { Said, SpokenAnswer } from './dialect.ts';
import { eventStream } from './event-stream.ts';

/** See Dialect.answer. */
export function answerAnthropic(said: Said, request: JsonRecord): SpokenAnswer {
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
  return eventStream([
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

function contentOf({ text, calls }: Said): readonly Block[] {
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
