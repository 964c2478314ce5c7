import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOn } from '../gateway/listen-on.ts';

/** A model that plays one scene: it asks for one tool call, hears the result, and ends. */
export interface CanaryModel {
  /** What the agent answered to the tool call; null as long as it hasn't. */
  toolResult(): string | null;
  close(): Promise<void>;
}

interface CanaryCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Speaks the Messages API on a socket file. */
export async function startCanaryModel(socketPath: string, call: CanaryCall): Promise<CanaryModel> {
  let heard: string | null = null;
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const result = findToolResult(body);
      heard ??= result;
      const hasTools = Array.isArray(body.tools) && body.tools.length > 0;
      const content =
        hasTools && result === null ? toolUse(call) : { type: 'text', text: 'The canary is done.' };
      if (body.stream === true) answerAsEvents(response, content);
      else answerAsJson(response, content);
    });
  });
  const { close } = await listenOn(server, socketPath);
  return { toolResult: () => heard, close };
}

type Fields = Readonly<Record<string, unknown>>;

function toolUse({ tool, input }: CanaryCall): Fields {
  return { type: 'tool_use', id: 'toolu_canary', name: tool, input };
}

function message(content: Fields): Fields {
  return {
    id: 'msg_canary',
    type: 'message',
    role: 'assistant',
    model: 'canary',
    content: [content],
    stop_reason: content.type === 'tool_use' ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

function answerAsJson(response: ServerResponse, content: Fields): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(message(content)));
}

function answerAsEvents(response: ServerResponse, content: Fields): void {
  const isCall = content.type === 'tool_use';
  const delta = isCall
    ? { type: 'input_json_delta', partial_json: JSON.stringify(content.input) }
    : { type: 'text_delta', text: content.text };
  const whole = message(content);
  const events: readonly Fields[] = [
    { type: 'message_start', message: { ...whole, content: [], stop_reason: null } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: isCall ? { ...content, input: {} } : { ...content, text: '' },
    },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: whole.stop_reason, stop_sequence: null },
      usage: whole.usage,
    },
    { type: 'message_stop' },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

function findToolResult(body: Fields): string | null {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const blocks = messages.flatMap((entry: Fields) => (Array.isArray(entry.content) ? entry.content : []));
  const result = blocks.find((block: Fields) => block.type === 'tool_result');
  return result === undefined ? null : JSON.stringify(result.content);
}

async function readBody(request: IncomingMessage): Promise<Fields> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as Fields;
  } catch {
    return {};
  }
}
