import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { addSpending, type Demand, type Spending, unlimited } from '../domain/spending.ts';
import { findPrice, type PriceList } from '../domain/token-price.ts';
import type { JsonRecord } from '../util/json-record.ts';
import { listenOn } from './listen-on.ts';
import {
  askedOutput,
  bodyFor,
  demandOf,
  type Estimate,
  judgeModelRequest,
  readBody,
} from './model-request.ts';
import { openPromptHistory, type Prompt, type PromptHistory, readPrompt } from './prompt-history.ts';
import { relay } from './relay-answer.ts';
import { openTurns, type RequestTurns } from './request-turns.ts';
import { readLimit, type ServiceLimit } from './service-limit.ts';
import { readTrouble, type ServiceTrouble } from './service-trouble.ts';
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
  /** Why the last request failed, where it was for no limit; null where it was answered. */
  trouble(): ServiceTrouble | null;
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** null: a loopback port, for machines without network namespaces; `secret` is then part of the address. */
  readonly socketPath: string | null;
  readonly secret: string;
  /** What the agent's CLI was given for a key: who can't show it asks for nothing. */
  readonly token: string;
  readonly upstream: Upstream;
  /** Tools of the agent's policy: some of them the model API runs itself. */
  readonly allowedTools: readonly string[];
  /** Whether a model is one this agent is meant to ask. */
  readonly mayAsk: (model: string) => boolean;
  /** The person's own. */
  readonly prices: PriceList;
  /** 0: unlimited. */
  readonly tokenLimit: number;
  /** In USD; 0: unlimited. */
  readonly usdLimit: number;
  /** Whether what is shared with others is counted in USD. */
  readonly sharesUsd: boolean;
  /** Resolves to whether the agent's settings, and so its hooks, were accepted. */
  readonly isWatched: () => Promise<boolean>;
  onSpending(total: Spending): void;
  /** Of a budget that others share: how many output tokens a request may have; null: it is refused. */
  readonly share: (id: symbol, demand: Demand, isGone: () => boolean) => Promise<number | null>;
  /** The request is over. */
  readonly giveBack: (id: symbol) => void;
  /** A request was not sent, and none will be. */
  readonly onRefused: (why: Refusal) => void;
  /** A request was not sent for the model it asked for. */
  readonly onForbidden: (model: string) => void;
  /** Judges each request to the Messages API, whole, before it is sent; false: it never is. */
  readonly inspect: (request: JsonRecord) => boolean;
  log(line: EgressLine): void;
  now(): Date;
}

/** Why a request was not sent, where that ends the agent. */
export type Refusal = 'budget' | 'session-budget' | 'canary-failed' | 'no-price';

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
 * Serves one agent. No request is sent whose input, or an answer of a sensible length to it, is more than is left; what
 * is left for its answer is the most it may write. Upstream errors pass through as they are.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const used = new Map<symbol, Spending>();
  const total = (): Spending => addSpending(used.values());
  let limit: ServiceLimit | null = null;
  let trouble: ServiceTrouble | null = null;
  const lost: Spending[] = [];
  const account: Account = {
    noteAnswer: (status, found) => {
      limit = found;
      trouble = status === 401 ? { kind: 'rejected', sources: options.upstream.sources } : null;
    },
    noteTrouble: (found) => {
      trouble = found;
    },
    history: openPromptHistory(),
    turns: openTurns({
      left: () => {
        const [spent, gone] = [total(), addSpending(lost)];
        const { tokenLimit, usdLimit } = options;
        return {
          tokens: tokenLimit > 0 ? tokenLimit - spent.tokens - gone.tokens : unlimited.tokens,
          cost_usd: usdLimit > 0 ? usdLimit - spent.cost_usd - gone.cost_usd : unlimited.cost_usd,
        };
      },
      used: (request) => used.get(request) ?? { tokens: 0, cost_usd: 0 },
    }),
    lose: (demand) => void lost.push(demand.input),
    count(request, spent) {
      used.set(request, spent);
      options.onSpending(total());
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
    tokens: () => total().tokens,
    cost: () => total().cost_usd,
    limit: () => limit,
    trouble: () => trouble,
    close: listening.close,
  };
}

interface Account {
  noteAnswer(status: number, limit: ServiceLimit | null): void;
  noteTrouble(trouble: ServiceTrouble): void;
  readonly history: PromptHistory;
  readonly turns: RequestTurns;
  /** Nothing will tell what a request cost: an estimate counts against the limits, and is told nobody. */
  lose(demand: Demand): void;
  count(request: symbol, spent: Spending): void;
}

interface Context {
  readonly options: GatewayOptions;
  readonly account: Account;
}

/** A request that is not sent: what its client is answered, and why, for the log. */
interface Refused {
  readonly status: number;
  readonly type: string;
  readonly why: string;
  readonly message: string;
}

async function serve(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  const { options } = context;
  const method = request.method ?? '';
  const path = allowedPath(method, request.url ?? '', options);
  const refuse = ({ status, type, why, message }: Refused): void => {
    const asked = path ?? String(request.url).slice(0, longestPath);
    options.log({ method, path: asked, status, tokens: 0, refused: why });
    answerError(response, status, type, message);
  };
  if (path === null) return refuse(forbidden('path', 'Only the model API can be reached.'));
  // The CLI looks whether anybody answers, before it has its key.
  if (method === 'HEAD') return void response.writeHead(200).end();
  if (!hasToken(request, options.token))
    return refuse({ ...forbidden('token', 'This is for the CLI of the agent alone.'), status: 401 });
  if (method !== 'POST')
    return forward(response, { ...context, id: Symbol(path), method, path, request, body: '', asked: null });
  const admitted = await admit(request, { ...context, path });
  if ('why' in admitted) return refuse(admitted);
  if (!isMessage(path)) {
    const body = JSON.stringify(admitted.request);
    return forward(response, { ...context, id: Symbol(path), method, path, request, body, asked: null });
  }
  const asked = estimate(admitted.request, context);
  const id = Symbol(path);
  const giveBack = (): void => {
    context.account.turns.release(id);
    options.giveBack(id);
  };
  response.on('close', giveBack);
  const granted = await grant(id, asked, response, context);
  if (response.destroyed) return;
  if (typeof granted !== 'number') {
    giveBack();
    refuse(granted);
    return options.onRefused(granted.why);
  }
  // From here on its turn ends when it is known what it cost.
  response.off('close', giveBack);
  const body = bodyFor(admitted.request, granted);
  forward(response, { ...context, id, method, path, request, body, asked });
}

function forbidden<Why extends string>(why: Why, message: string): Refused & { readonly why: Why } {
  return { status: 403, type: 'permission_error', why, message };
}

/** The token stands where the key would: compared without telling by time how much of it was right. */
function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const wanted = digest(token);
  const shown = [`${headers['x-api-key'] ?? ''}`, `${headers.authorization ?? ''}`.replace(/^Bearer /i, '')];
  return shown.some((one) => timingSafeEqual(digest(one), wanted));
}

/** Reads a request and judges what it asks for. */
async function admit(
  request: IncomingMessage,
  { options, path }: Context & { readonly path: string },
): Promise<Refused | { readonly request: JsonRecord }> {
  if (!(await options.isWatched())) {
    options.onRefused('canary-failed');
    return forbidden('canary-failed', 'The watcher is not active in this agent.');
  }
  const bad = { status: 415, type: 'invalid_request_error', why: 'body' };
  if (!/^(?:identity)?$/i.test(request.headers['content-encoding'] ?? ''))
    return { ...bad, message: 'A request is sent as it is, not packed.' };
  const text = await readBody(request);
  if (text === null)
    return {
      ...bad,
      status: 413,
      type: 'request_too_large',
      message: 'The request is larger than 32 MB.',
    };
  const judged = judgeModelRequest(text, options.allowedTools);
  if (judged.kind === 'refused') return forbidden(judged.why, judged.message);
  const model = modelOf(judged.request);
  if (!options.mayAsk(model)) {
    options.onForbidden(model);
    return forbidden('model', `This agent is not meant to ask the model ${JSON.stringify(model)}.`);
  }
  if (isMessage(path) && !options.inspect(judged.request))
    return forbidden('unwatched-call', 'A tool call ran without the watcher.');
  return judged;
}

function modelOf({ model }: JsonRecord): string {
  return typeof model === 'string' ? model.slice(0, longestPath) : '';
}

/** A request to the Messages API with what it may come to. */
interface Asked {
  readonly prompt: Prompt;
  readonly estimate: Estimate;
  readonly demand: Demand;
}

function estimate(request: JsonRecord, { options, account }: Context): Asked {
  const prompt = readPrompt(request);
  const input = account.history.estimate(prompt, options.now().getTime());
  const found = { ...input, model: prompt.model, output: askedOutput(request) };
  return { prompt, estimate: found, demand: demandOf(found, options.prices) };
}

/** How many output tokens a request may have, by the agent's own budget and by the one it shares. */
async function grant(
  id: symbol,
  { prompt, demand }: Asked,
  response: ServerResponse,
  { options, account }: Context,
): Promise<number | (Refused & { readonly why: Refusal })> {
  const spent = { status: 400, type: 'invalid_request_error' };
  const isInUsd = options.usdLimit > 0 || options.sharesUsd;
  if (isInUsd && findPrice(prompt.model, 0, options.prices) === null)
    return { ...spent, why: 'no-price', message: noPrice(prompt.model) };
  const isGone = (): boolean => response.destroyed;
  const own = await account.turns.take(id, demand, isGone);
  if (own === null)
    return {
      ...spent,
      why: 'budget',
      message: "What is left of the agent's budget is too little for this request.",
    };
  const shared = await options.share(id, { ...demand, most: own }, isGone);
  if (shared === null)
    return {
      ...spent,
      why: 'session-budget',
      message: "What is left of the session's budget is too little for this request.",
    };
  if (shared < own) account.turns.reduce(id, demand, shared);
  return shared;
}

/** What a person is told of a model that can't be held to a budget in dollars. */
export function noPrice(model: string): string {
  return `The price of the model ${JSON.stringify(model)} is not known, and the budget is in dollars: say it in .blueflame.yml as models.prices, or limit tokens.`;
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
  readonly asked: Asked | null;
}

function forward(response: ServerResponse, forwarded: Forwarded): void {
  const { options, account, id, request, method, path, body, asked } = forwarded;
  const upstream = openRequest(options.upstream, { method, path, headers: request.headers, body });
  let isDone = false;
  let hasAnswer = false;
  const giveBack = (): void => {
    account.turns.release(id);
    options.giveBack(id);
  };
  upstream.on('error', (error) => {
    if (hasAnswer) return void response.destroy();
    giveBack();
    options.log({ method, path, status: null, tokens: 0, refused: null });
    // Whoever hung up ended it.
    if (response.destroyed) return;
    if (method === 'POST') account.noteTrouble(readTrouble(error, addressOf(options.upstream)));
    answerError(response, 502, 'api_error', `The model API could not be reached: ${error.message}`);
  });
  const settle = (status: number, tokens: number): void => {
    isDone = true;
    giveBack();
    options.log({ method, path, status, tokens, refused: null });
  };
  upstream.on('response', (answer) => {
    hasAnswer = true;
    const now = options.now().getTime();
    const limit = readLimit(answer, now);
    if (method === 'POST') account.noteAnswer(answer.statusCode ?? 0, limit);
    void relay(answer, response, {
      ...{ limit, now, settle, estimate: asked?.estimate ?? null, prices: options.prices },
      onUsage: (spent) => {
        account.count(id, spent);
        if (asked === null) return;
        account.history.learn(asked.prompt, { tokens: spent.input, isCached: spent.isCached, at: now });
      },
    });
  });
  // An agent that hangs up ends its request upstream too.
  response.on('close', () => {
    if (isDone) return;
    // It's paid for all the same.
    if (!hasAnswer && asked !== null) account.lose(asked.demand);
    upstream.destroy();
  });
  upstream.end(body);
}

function addressOf({ target: { host, port, socketPath } }: Upstream): string {
  return `${host ?? socketPath ?? ''}${port ? `:${port}` : ''}`;
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
