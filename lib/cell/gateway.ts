import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { JsonRecord } from '../util/json-record.ts';
import { listenOn } from './listen-on.ts';
import { type Estimate, judgeModelRequest, priceEstimate, readBody } from './model-request.ts';
import { relay } from './relay-answer.ts';
import { openTurns, type RequestTurns } from './request-turns.ts';
import { readLimit, type ServiceLimit } from './service-limit.ts';
import { openRequest, type Upstream } from './upstream.ts';

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
  /** Tools of the agent's policy: some of them the model API runs itself. */
  readonly allowedTools: readonly string[];
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
  /** Judges each request to the Messages API, whole, before it is sent; false: it never is. */
  readonly inspect: (request: JsonRecord) => boolean;
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

// Each may hold a body of 32 MB here. A client that is turned away tries again.
const mostConnections = 64;

/**
 * Serves one agent. Requests already running when the budget is reached run to their end; none is sent
 * after, and several run at once only where the budget holds them all. Upstream errors pass through as they are.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const used = new Map<symbol, { readonly tokens: number; readonly cost: number }>();
  const sum = (what: 'tokens' | 'cost'): number =>
    [...used.values()].reduce((total, request) => total + request[what], 0);
  const total = (): number => sum('tokens');
  let limit: ServiceLimit | null = null;
  const lost = { tokens: 0, cost: 0 };
  const account: Account = {
    noteAnswer: (found) => {
      limit = found;
    },
    turns: openTurns({
      left: () => ({
        tokens: options.tokenLimit > 0 ? options.tokenLimit - total() - lost.tokens : Infinity,
        cost: options.usdLimit > 0 ? options.usdLimit - sum('cost') - lost.cost : Infinity,
      }),
      used: (request) => used.get(request) ?? { tokens: 0, cost: 0 },
    }),
    lose(estimate) {
      lost.tokens += estimate.input;
      lost.cost += priceEstimate({ ...estimate, output: 0 });
    },
    count(request, tokens, cost) {
      used.set(request, { tokens, cost });
      options.onSpending({ tokens: total(), cost_usd: sum('cost') });
    },
  };
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    serve(request, response, { options, account }).catch(() => response.destroy());
  });
  server.maxConnections = mostConnections;
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
  readonly turns: RequestTurns;
  /** Nothing will tell what a request cost: an estimate counts against the limits, and is told nobody. */
  lose(estimate: Estimate): void;
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
    const asked = path ?? String(request.url).slice(0, longestPath);
    options.log({ method, path: asked, status, tokens: 0, refused: why });
    answerError(response, status, type, message);
  };
  if (path === null) return refuse(403, 'permission_error', 'path', 'Only the model API can be reached.');
  if (method !== 'POST')
    return forward(response, {
      ...context,
      id: Symbol(path),
      method,
      path,
      request,
      body: '',
      estimate: null,
    });
  if (!(await options.isWatched())) {
    refuse(403, 'permission_error', 'canary-failed', 'The watcher is not active in this agent.');
    return options.onRefused('canary-failed');
  }
  if (!/^(?:identity)?$/i.test(request.headers['content-encoding'] ?? ''))
    return refuse(415, 'invalid_request_error', 'body', 'A request is sent as it is, not packed.');
  const text = await readBody(request);
  if (text === null) return refuse(413, 'request_too_large', 'body', 'The request is larger than 32 MB.');
  const judged = judgeModelRequest(text, options.allowedTools);
  if (judged.kind === 'refused') return refuse(403, 'permission_error', judged.why, judged.message);
  const estimate = isMessage(path) ? judged.estimate : null;
  if (isMessage(path) && !options.inspect(judged.request))
    return refuse(403, 'permission_error', 'unwatched-call', 'A tool call ran without the watcher.');
  const id = Symbol(path);
  const giveBack = (): void => account.turns.release(id);
  response.on('close', giveBack);
  const reserve =
    estimate === null
      ? { tokens: 0, cost: 0 }
      : { tokens: estimate.input + estimate.output, cost: priceEstimate(estimate) };
  if (!(await account.turns.take(id, reserve, () => response.destroyed))) {
    if (response.destroyed) return;
    refuse(400, 'invalid_request_error', 'budget', "The agent's budget is spent.");
    return options.onRefused('budget');
  }
  if (!(await options.maySpend())) {
    refuse(400, 'invalid_request_error', 'session-budget', "The session's budget is spent.");
    return options.onRefused('session-budget');
  }
  if (response.destroyed) return;
  // From here on its turn ends when it is known what it cost.
  response.off('close', giveBack);
  forward(response, { ...context, id, method, path, request, body: judged.body, estimate });
}

// In the log, of what was asked for and isn't there.
const longestPath = 200;

/** The path to ask upstream, null for what isn't the model API. */
function allowedPath(method: string, url: string, options: GatewayOptions): string | null {
  const prefix = options.socketPath === null ? `/${options.secret}` : '';
  if (!url.startsWith(prefix)) return null;
  const path = url.slice(prefix.length) || '/';
  if (method === 'HEAD' && path === '/') return path;
  const plain = path.split('?', 1)[0] ?? '';
  return path.length <= 2_000 && (known[method]?.test(plain) ?? false) ? path : null;
}

// What an agent's CLI asks for. Others cost as much, and their answers don't say so: batches run for a day.
const known: Readonly<Record<string, RegExp>> = {
  POST: /^\/v1\/messages(?:\/count_tokens)?$/,
  GET: /^\/v1\/models(?:\/[\w.:@-]+)?$/,
};

interface Forwarded extends Context {
  readonly id: symbol;
  readonly request: IncomingMessage;
  readonly method: string;
  readonly path: string;
  /** '' for none. */
  readonly body: string;
  /** null of what costs nothing. */
  readonly estimate: Estimate | null;
}

function forward(response: ServerResponse, forwarded: Forwarded): void {
  const { options, account, id, request, method, path, body, estimate } = forwarded;
  const upstream = openRequest(options.upstream, { method, path, headers: request.headers, body });
  let isDone = false;
  let hasAnswer = false;
  upstream.on('error', (error) => {
    if (hasAnswer) return void response.destroy();
    account.turns.release(id);
    options.log({ method, path, status: null, tokens: 0, refused: null });
    answerError(response, 502, 'api_error', `The model API could not be reached: ${error.message}`);
  });
  const settle = (status: number, tokens: number): void => {
    isDone = true;
    account.turns.release(id);
    options.log({ method, path, status, tokens, refused: null });
  };
  upstream.on('response', (answer) => {
    hasAnswer = true;
    const now = options.now().getTime();
    const limit = readLimit(answer, now);
    if (method === 'POST') account.noteAnswer(limit);
    void relay(answer, response, {
      limit,
      now,
      estimate,
      onUsage: (tokens, cost) => account.count(id, tokens, cost),
      settle,
    });
  });
  // An agent that hangs up ends its request upstream too.
  response.on('close', () => {
    if (isDone) return;
    // It's paid for all the same.
    if (!hasAnswer && estimate !== null) account.lose(estimate);
    upstream.destroy();
  });
  upstream.end(body);
}

/** Whether a request is one that costs something. */
function isMessage(path: string): boolean {
  return /^\/v1\/messages(?:\?|$)/.test(path);
}

function answerError(response: ServerResponse, status: number, type: string, message: string): void {
  const body = JSON.stringify({ type: 'error', error: { type, message } });
  response.writeHead(status, { 'content-type': 'application/json', 'x-should-retry': 'false' });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
