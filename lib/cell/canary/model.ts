import { createServer, type IncomingMessage } from 'node:http';
import type { ToldCall, ToldResult } from '../../domain/ports/call-facts.ts';
import { type JsonRecord, parseRecord } from '../../util/json.ts';
import type { Dialect, Endpoint, Said } from '../gateway/dialects/dialect.ts';
import { listenOn } from '../gateway/listen-on.ts';

/** A model that plays one scene: it asks for one tool call, gets the result, and ends. */
export interface CanaryModel {
  /** The agent's result of the tool call; null as long as there is none. */
  result(): ToldResult | null;
  close(): Promise<void>;
}

/** Speaks the dialects of a route on a socket file. */
export async function startCanaryModel(
  socketPath: string,
  dialects: readonly Dialect[],
  call: Omit<ToldCall, 'id'>,
): Promise<CanaryModel> {
  let heard: ToldResult | null = null;
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const { dialect, endpoint } = findEndpoint(dialects, request);
      if (dialect === null || endpoint?.isPaid !== true) return void response.writeHead(404).end('{}');
      heard ??= dialect.readConversation(body).results[0] ?? null;
      const isAsked = dialect.offersTools(body) && heard === null;
      const { contentType, body: answer } = dialect.answer(isAsked ? callFor(call) : done, body, {
        endpoint,
      });
      response.writeHead(200, { 'content-type': contentType }).end(answer);
    });
  });
  const { close } = await listenOn(server, socketPath);
  return { result: () => heard, close };
}

function findEndpoint(
  dialects: readonly Dialect[],
  { method = '', url = '' }: IncomingMessage,
): { readonly dialect: Dialect | null; readonly endpoint: Endpoint | null } {
  const path = url.split('?', 1)[0] ?? '';
  const dialect = dialects.find((one) => one.find(method, path) !== null) ?? null;
  return { dialect, endpoint: dialect?.find(method, path) ?? null };
}

const usage = { input_tokens: 1, output_tokens: 1 };
const done: Said = { text: 'The canary is done.', calls: [], usage };

function callFor(call: Omit<ToldCall, 'id'>): Said {
  return { text: '', calls: [{ ...call, id: 'toolu_canary' }], usage };
}

async function readBody(request: IncomingMessage): Promise<JsonRecord> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return parseRecord(Buffer.concat(chunks).toString());
}
