import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ModelRequest, readModelRequest } from './model-request.ts';

export interface ModelUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
}

export interface ToolUse {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What the model says in one turn. Usage is 100 input and 10 output tokens unless told otherwise. */
export type Reply = { readonly usage?: ModelUsage } & (
  | { readonly text: string }
  | ToolUse
  | { readonly text?: string; readonly tools: readonly ToolUse[] }
  | {
      readonly status: number;
      readonly error: string;
      readonly type?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Never answers; ends when the server closes. */
  | { readonly hang: true }
);

export type ModelScript = (request: ModelRequest) => Reply | Promise<Reply>;

export interface ModelServer {
  /** `http://127.0.0.1:port`; null on a socket. */
  readonly url: string | null;
  readonly socket: string | null;
  /** Messages requests, in order of arrival. */
  readonly requests: readonly ModelRequest[];
  /** Every HTTP request as `METHOD /path`. */
  readonly seen: readonly { readonly line: string; readonly headers: IncomingHttpHeaders }[];
  close(): Promise<void>;
}

export interface ModelServerOptions {
  readonly script: ModelScript;
  /** Default: a free one. */
  readonly port?: number;
  /** A path to listen on instead of a port. */
  readonly socket?: string;
}

/** A scripted Messages API, streaming and not, on loopback or on a unix socket. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const seen: { line: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    answer(request, response, (asked) => {
      requests.push(asked);
      return options.script(asked);
    }).catch((error: unknown) => {
      if (!response.headersSent) sendJson(response, 500, errorBody('api_error', `script failed: ${error}`));
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (options.socket !== undefined) server.listen(options.socket, resolve);
    else server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const port = (server.address() as AddressInfo).port;
  return {
    url: options.socket === undefined ? `http://127.0.0.1:${port}` : null,
    socket: options.socket ?? null,
    requests,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, script: ModelScript): Promise<void> {
  const path = (request.url ?? '').split('?')[0];
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.method === 'HEAD') {
    response.writeHead(200).end();
    return;
  }
  if (request.method !== 'POST' || path?.startsWith('/v1/messages') !== true) {
    sendJson(response, 404, errorBody('not_found_error', `no such path: ${path}`));
    return;
  }
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
  if (path === '/v1/messages/count_tokens') {
    sendJson(response, 200, { input_tokens: 100 });
    return;
  }
  const asked = readModelRequest(body, request.headers);
  const reply = await script(asked);
  if ('hang' in reply) return;
  if ('status' in reply) {
    const headers = { 'content-type': 'application/json', ...reply.headers };
    response.writeHead(reply.status, headers);
    response.end(JSON.stringify(errorBody(reply.type ?? 'api_error', reply.error)));
    return;
  }
  const message = buildMessage(asked, reply);
  if (asked.isStreaming) sendStream(response, message);
  else sendJson(response, 200, message);
}

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown };

interface Message {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly Block[];
  readonly stop_reason: 'end_turn' | 'tool_use';
  readonly stop_sequence: null;
  readonly usage: Required<ModelUsage>;
}

let counter = 0;

function buildMessage(asked: ModelRequest, reply: Exclude<Reply, { status: number } | { hang: true }>): Message {
  counter += 1;
  const text = 'text' in reply && reply.text !== undefined ? reply.text : '';
  const calls = 'tools' in reply ? reply.tools : 'tool' in reply ? [reply] : [];
  const content: Block[] = [
    ...(text === '' && calls.length > 0 ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ tool, input }, index) => ({
      type: 'tool_use' as const,
      id: `toolu_${counter}_${index}`,
      name: tool,
      input,
    })),
  ];
  return {
    id: `msg_${counter}`,
    type: 'message',
    role: 'assistant',
    model: asked.model,
    content,
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 100,
      output_tokens: 10,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      ...reply.usage,
    },
  };
}

function sendStream(response: ServerResponse, message: Message): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const send = (event: { readonly type: string; readonly [key: string]: unknown }): void => {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const { content, stop_reason, usage } = message;
  // As the real one: the first event tells the input, the output is known at the end.
  const start = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  send({ type: 'message_start', message: start });
  for (const [index, block] of content.entries()) {
    const empty = block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} };
    const delta =
      block.type === 'text'
        ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
    send({ type: 'content_block_start', index, content_block: empty });
    send({ type: 'content_block_delta', index, delta });
    send({ type: 'content_block_stop', index });
  }
  send({
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: usage.output_tokens },
  });
  send({ type: 'message_stop' });
  response.end();
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function errorBody(type: string, message: string): unknown {
  return { type: 'error', error: { type, message } };
}
