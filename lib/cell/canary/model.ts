import { createServer, type IncomingMessage } from 'node:http';
import type { ToldCall } from '../../domain/conversation.ts';
import { type JsonRecord, parseRecord } from '../../util/json-record.ts';
import type { Dialect } from '../gateway/dialects/dialect.ts';
import { listenOn } from '../gateway/listen-on.ts';

/** A model that plays one scene: it asks for one tool call, hears the result, and ends. */
export interface CanaryModel {
  /** What the agent answered to the tool call; null as long as it hasn't. */
  toolResult(): string | null;
  close(): Promise<void>;
}

interface Scene {
  readonly dialects: readonly Dialect[];
  readonly call: Omit<ToldCall, 'id'>;
}

/** Speaks the model APIs of an agent on a socket file. */
export async function startCanaryModel(socketPath: string, { dialects, call }: Scene): Promise<CanaryModel> {
  let heard: string | null = null;
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      const found = dialects
        .map((dialect) => ({ dialect, endpoint: dialect.find(request.method ?? '', path) }))
        .find(({ endpoint }) => endpoint?.isPaid);
      if (found?.endpoint === undefined || found.endpoint === null) return response.writeHead(404).end('{}');
      const { dialect, endpoint } = found;
      const result = dialect.readConversation(body).results[0]?.text ?? null;
      heard ??= result;
      const calls = dialect.offersTools(body) && result === null ? [{ ...call, id: 'call_canary' }] : [];
      const text = calls.length === 0 ? 'The canary is done.' : '';
      const usage = { input_tokens: 1, output_tokens: 1 };
      const answer = dialect.answer({ text, calls, usage }, body, { endpoint });
      return response.writeHead(200, { 'content-type': answer.contentType }).end(answer.body);
    });
  });
  const { close } = await listenOn(server, socketPath);
  return { toolResult: () => heard, close };
}

async function readBody(request: IncomingMessage): Promise<JsonRecord> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return parseRecord(Buffer.concat(chunks).toString());
}
