import type { ChildProcess } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

/** A server on stdio, shown over HTTP to programs that speak to nothing else. */
export interface HttpDoor {
  readonly url: string;
  close(): Promise<void>;
}

interface Message {
  readonly jsonrpc?: '2.0';
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly error?: unknown;
}

interface Started {
  readonly child: ChildProcess;
  /** What is answered; null: nothing is, for it is no request. */
  say(message: Message): Promise<Message | null>;
}

/**
 * Passes each message on as it is, but for its id. Clients of a revision with sessions get a process of their own for
 * each; where it is stateless all share one, which knows its revision from a first message. What the server says by itself
 * is left out.
 */
export async function showOverHttp(isStateless: boolean, start: () => ChildProcess): Promise<HttpDoor> {
  const sessions = new Map<string, Started>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = parse(await textOf(request));
    const isFirst = message.method === 'initialize';
    const named = String(request.headers['mcp-session-id'] ?? '');
    const name = isFirst && !isStateless ? `session-${sessions.size}` : named;
    if (named !== '' && !sessions.has(named)) return void response.writeHead(404).end();
    const known = sessions.get(name);
    const server = known ?? begin(start());
    sessions.set(name, server);
    if (known === undefined && isStateless) await server.say(greeting);
    const said = await server.say(message);
    if (said === null) return void response.writeHead(202).end();
    const headers = name.startsWith('session-') ? { 'mcp-session-id': name } : {};
    response.writeHead(statusOf(said), { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(said));
  };
  const http = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port }: Partial<AddressInfo> = Object(http.address());
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      http.closeAllConnections();
      http.close();
      await Promise.all([...sessions.values()].map(({ child }) => end(child)));
    },
  };
}

// To ask what there is, by itself, leaves the revision open.
const greeting: Message = {
  ...{ jsonrpc: '2.0', id: 0, method: 'tools/list' },
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

/** What the protocol over HTTP has for the errors that have a status of their own. */
function statusOf({ error }: Message): number {
  const code: unknown = Object(error).code;
  if (code === -32601) return 404;
  return code === -32602 || code === -32022 ? 400 : 200;
}

function begin(child: ChildProcess): Started {
  const waiting = new Map<unknown, (answer: Message) => void>();
  let asked = 0;
  if (child.stdout !== null)
    createInterface(child.stdout).on('line', (line) => {
      const answer = parse(line);
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
    });
  return {
    child,
    say: async (message) => {
      const isRequest = message.id !== undefined && message.method !== undefined;
      asked += 1;
      const id = asked;
      const said = new Promise<Message>((resolve) => waiting.set(id, resolve));
      child.stdin?.write(`${JSON.stringify(isRequest ? { ...message, id } : message)}\n`);
      return isRequest ? { ...(await said), id: message.id } : null;
    },
  };
}

function end(child: ChildProcess): Promise<unknown> {
  const over = new Promise((resolve) => child.on('close', resolve));
  child.stdin?.end();
  return over;
}

function parse(text: string): Message {
  return Object(JSON.parse(text));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
