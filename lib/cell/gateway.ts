import { type ClientRequest, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { listenOn } from './listen-on.ts';
import { readLimit, type ServiceLimit } from './service-limit.ts';
import { connectionHeaders, openRequest, type Upstream } from './upstream.ts';
import { meterUsage } from './usage-meter.ts';

/** The one way out of an agent's cell: to the model API, with the real credential, within the budget. */
export interface Gateway {
  /** Where it listens on loopback, '' on a socket file. */
  readonly url: string;
  /** Tokens of all responses so far, those still running included. */
  tokens(): number;
  /** The same in USD at list prices. */
  cost(): number;
  /** The limit the model API's last answer spoke of; null where it answered. */
  limit(): ServiceLimit | null;
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** null: a loopback port, for machines without network namespaces; `secret` is then part of the address. */
  readonly socketPath: string | null;
  readonly secret: string;
  readonly upstream: Upstream;
  /** 0: unlimited. */
  readonly tokenLimit: number;
  /** In USD at list prices; 0: unlimited. */
  readonly usdLimit: number;
  /** Resolves to whether the agent's settings, and so its hooks, were accepted. */
  readonly isWatched: () => Promise<boolean>;
  onSpending(total: { readonly tokens: number; readonly cost_usd: number }): void;
  /** Whether a budget that others share leaves something; a request waits for the answer. */
  readonly maySpend: () => Promise<boolean>;
  /** A request was not sent: a budget is spent, or the agent is not watched. */
  readonly onRefused: (why: Refusal) => void;
  /** Judges each request to the Messages API, whole; false breaks it off. */
  readonly inspect: (body: Buffer) => boolean;
  log(line: EgressLine): void;
  now(): Date;
}

/** Why a request was not sent. */
export type Refusal = 'budget' | 'session-budget' | 'canary-failed';

/** One request that left, or would have left, the cell. */
export interface EgressLine {
  readonly method: string;
  readonly path: string;
  /** null: the upstream could not be reached. */
  readonly status: number | null;
  readonly tokens: number;
  readonly refused: string | null;
}

/**
 * Serves one agent. Requests already running when the budget is reached run to their end; none is sent
 * after. Upstream errors pass through as they are.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const used = new Map<symbol, { readonly tokens: number; readonly cost: number }>();
  const sum = (what: 'tokens' | 'cost'): number =>
    [...used.values()].reduce((total, request) => total + request[what], 0);
  const total = (): number => sum('tokens');
  let limit: ServiceLimit | null = null;
  const account: Account = {
    noteAnswer: (found) => {
      limit = found;
    },
    isSpent: () =>
      (options.tokenLimit > 0 && total() >= options.tokenLimit) ||
      (options.usdLimit > 0 && sum('cost') >= options.usdLimit),
    count(request, tokens, cost) {
      used.set(request, { tokens, cost });
      options.onSpending({ tokens: total(), cost_usd: sum('cost') });
    },
  };
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    serve(request, response, { options, account }).catch(() => response.destroy());
  });
  const listening = await listenOn(server, options.socketPath);
  const isTcp = options.socketPath === null;
  return {
    url: isTcp ? `http://127.0.0.1:${listening.port}/${options.secret}` : '',
    tokens: total,
    cost: () => sum('cost'),
    limit: () => limit,
    close: listening.close,
  };
}

interface Account {
  noteAnswer(limit: ServiceLimit | null): void;
  isSpent(): boolean;
  count(request: symbol, tokens: number, cost: number): void;
}

interface Context {
  readonly options: GatewayOptions;
  readonly account: Account;
}

async function serve(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  const { options, account } = context;
  const method = request.method ?? '';
  const path = allowedPath(method, request.url ?? '', options);
  const refuse = (status: number, type: string, why: string, message: string): void => {
    options.log({ method, path: path ?? String(request.url), status, tokens: 0, refused: why });
    answerError(response, status, type, message);
  };
  if (path === null) return refuse(403, 'permission_error', 'path', 'Only the model API can be reached.');
  if (method === 'POST' && !(await options.isWatched())) {
    refuse(403, 'permission_error', 'canary-failed', 'The watcher is not active in this agent.');
    return options.onRefused('canary-failed');
  }
  if (account.isSpent()) {
    refuse(400, 'invalid_request_error', 'budget', "The agent's budget is spent.");
    return options.onRefused('budget');
  }
  if (method === 'POST' && !(await options.maySpend())) {
    refuse(400, 'invalid_request_error', 'session-budget', "The session's budget is spent.");
    return options.onRefused('session-budget');
  }
  forward(request, response, { ...context, method, path });
}

/** The path to ask upstream, null for what isn't the model API. */
function allowedPath(method: string, url: string, options: GatewayOptions): string | null {
  const prefix = options.socketPath === null ? `/${options.secret}` : '';
  if (!url.startsWith(prefix)) return null;
  const path = url.slice(prefix.length) || '/';
  if (method === 'HEAD' && path === '/') return path;
  const plain = path.split('?')[0] ?? '';
  const isPlain = !/\.\.|\/\/|\\|%2e|%2f|%5c/i.test(plain);
  return plain.startsWith('/v1/') && isPlain ? path : null;
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  context: Context & { readonly method: string; readonly path: string },
): void {
  const { options, account, method, path } = context;
  const id = Symbol(path);
  const upstream = openRequest(options.upstream, { method, path, headers: request.headers });
  upstream.on('error', (error) => {
    if (response.headersSent) return void response.destroy();
    options.log({ method, path, status: null, tokens: 0, refused: null });
    answerError(response, 502, 'api_error', `The model API could not be reached: ${error.message}`);
  });
  let isDone = false;
  const settle = (status: number, tokens: number): void => {
    isDone = true;
    options.log({ method, path, status, tokens, refused: null });
  };
  upstream.on('response', (answer) => {
    const now = options.now().getTime();
    const limit = readLimit(answer, now);
    if (method === 'POST') account.noteAnswer(limit);
    void relay(answer, response, {
      limit,
      now,
      onUsage: (tokens, cost) => account.count(id, tokens, cost),
      settle,
    });
  });
  // An agent that hangs up ends its request upstream too.
  response.on('close', () => {
    if (!isDone) upstream.destroy();
  });
  if (method === 'POST' && path.split('?')[0] === '/v1/messages') inspect(request, upstream, options);
  pipeline(request, upstream, () => undefined);
}

function inspect(request: IncomingMessage, upstream: ClientRequest, options: GatewayOptions): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (!options.inspect(Buffer.concat(chunks))) upstream.destroy();
  });
}

// A client that waits longer would only hold its memory; the wave waits instead.
const longestClientWaitMs = 30_000;

interface Relay {
  readonly limit: ServiceLimit | null;
  readonly now: number;
  onUsage(tokens: number, cost: number): void;
  settle(status: number, tokens: number): void;
}

/** Passes an answer on. Tokens are counted before the agent sees the part that tells them. */
async function relay(answer: IncomingMessage, response: ServerResponse, relayed: Relay): Promise<void> {
  const { headers, statusCode = 502 } = answer;
  const type = headers['content-type'] ?? '';
  const meter = meterUsage(type, headers['content-encoding'] ?? '', relayed.onUsage);
  const held: Buffer[] = [];
  const isLong = (relayed.limit?.until ?? 0) - relayed.now > longestClientWaitMs;
  response.writeHead(statusCode, [
    ...withoutConnection(answer.rawHeaders),
    ...(isLong ? ['x-should-retry', 'false'] : []),
  ]);
  response.flushHeaders();
  answer.on('data', (chunk: Buffer) => {
    meter.push(chunk);
    // A plain answer tells its tokens only when it is whole.
    if (type.includes('json')) held.push(chunk);
    else if (!response.write(chunk)) {
      answer.pause();
      response.once('drain', () => answer.resume());
    }
  });
  await new Promise<void>((resolve) => answer.on('close', () => resolve()));
  relayed.settle(statusCode, await meter.finish());
  if (!answer.complete) return void response.destroy();
  response.end(Buffer.concat(held));
}

function withoutConnection(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter(
    (_, index) => !connectionHeaders.has(rawHeaders[index - (index % 2)]?.toLowerCase() ?? ''),
  );
}

function answerError(response: ServerResponse, status: number, type: string, message: string): void {
  const body = JSON.stringify({ type: 'error', error: { type, message } });
  response.writeHead(status, { 'content-type': 'application/json', 'x-should-retry': 'false' });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
