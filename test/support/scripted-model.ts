import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dialect, ScriptedMessage } from '../../lib/cell/gateway/dialects/dialect.ts';
import { getDialect } from '../../lib/cell/gateway/dialects/get-dialect.ts';
import type { DialectName } from '../../lib/domain/config/known-clis.ts';
import type { ConversationCall, ConversationResult } from '../../lib/domain/ports/call-facts.ts';
import { type JsonRecord, parseJsonRecord } from '../../lib/util/json.ts';

/** What a scripted model says at one turn: calls, words, or how it fails. */
export interface Turn {
  readonly text?: string;
  readonly calls?: readonly Omit<ConversationCall, 'id'>[];
  readonly usage?: ScriptedMessage['usage'];
  /** It never answers. */
  readonly hangs?: true;
  readonly fails?: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: JsonRecord;
  };
}

interface Asked {
  readonly headers: IncomingMessage['headers'];
  readonly url: string;
  readonly body: JsonRecord;
  /** What the client told of calls before. */
  readonly results: readonly ConversationResult[];
  /** It offers tools: no side question of its client's. */
  readonly isMain: boolean;
}

export interface ScriptedModel {
  readonly url: string;
  /** Requests that were paid for, in order. */
  readonly seen: readonly Asked[];
  /** What the last of them told. */
  results(): readonly ConversationResult[];
  close(): Promise<void>;
}

/**
 * A model on loopback that speaks real APIs. `script` is given the number of the request among those that offer tools,
 * from 1; a client's own side questions, which offer none, are answered with a word.
 */
export async function startScriptedModel(
  names: readonly DialectName[],
  script: (turn: number, asked: Asked) => Turn | Promise<Turn>,
): Promise<ScriptedModel> {
  const dialects = names.map(getDialect);
  const seen: Asked[] = [];
  let turns = 0;
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      const { method = '', url = '', headers } = request;
      const found = findDialect(dialects, method, url);
      if (found === null) return void response.writeHead(404).end('{}');
      const { dialect, endpoint } = found;
      if (!endpoint.isPaid) return void response.writeHead(404).end('{}');
      const isMain = dialect.offersTools(body);
      const asked = { headers, url, body, results: dialect.readConversation(body).results, isMain };
      seen.push(asked);
      if (isMain) turns += 1;
      const turn = turns;
      const { text = '', calls = [], usage, fails, hangs } = isMain ? await script(turn, asked) : { text: 'A title' };
      if (hangs === true) return;
      if (fails !== undefined)
        return void response
          .writeHead(fails.status, { 'content-type': 'application/json', ...fails.headers })
          .end(JSON.stringify(fails.body));
      const said: ScriptedMessage = {
        text,
        calls: calls.map((call, index) => ({ ...call, id: `call_${turn}_${index}` })),
        usage: usage ?? { input_tokens: 100, output_tokens: 10 },
      };
      const answer = dialect.answer(said, body, { endpoint });
      response.writeHead(200, { 'content-type': answer.contentType }).end(answer.body);
    });
  });
  // A test that fails leaves it open, and its file must end all the same.
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    results: () => seen.at(-1)?.results ?? [],
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

type Found = { readonly dialect: Dialect; readonly endpoint: NonNullable<ReturnType<Dialect['find']>> };

function findDialect(dialects: readonly Dialect[], method: string, url: string): Found | null {
  const path = url.split('?', 1)[0] ?? '';
  for (const dialect of dialects) {
    const endpoint = dialect.find(method, path);
    if (endpoint !== null) return { dialect, endpoint };
  }
  return null;
}

async function readBody(request: IncomingMessage): Promise<JsonRecord> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return parseJsonRecord(Buffer.concat(chunks).toString());
}
