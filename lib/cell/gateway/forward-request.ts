import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PriceList } from '../../domain/config/token-price.ts';
import { computeSpendingOfDemand } from '../../domain/state/spending.ts';
import type { PaidRequest } from './admit-request.ts';
import type { Dialect } from './dialects/dialect.ts';
import type { GatewayContext } from './gateway-options.ts';
import {
  connectionErrorAsTrouble,
  extendServiceLimitByBody,
  parseServiceLimit,
  type ServiceLimit,
} from './model-api-trouble.ts';
import type { RequestCostEstimate } from './model-request.ts';
import { connectionHeaders, openUpstreamRequest, type RequestTarget, type Upstream } from './upstream-model-api.ts';
import { type CountedUsage, createUsageMeter } from './usage-meter.ts';

export interface ForwardedModelRequest extends GatewayContext, RequestTarget {
  readonly id: symbol;
  readonly request: IncomingMessage;
  readonly method: string;
  /** '' for none. */
  readonly body: string;
  /** null of what costs nothing. */
  readonly paidRequest: (PaidRequest & Granted) | null;
}

interface Granted {
  /** How many output tokens it may have. */
  readonly granted: number;
  /** It offers tools. */
  readonly isTurn: boolean;
  /** The model has begun to answer. */
  onHeard(): void;
}

// Faster than any model writes.
const tokensPerMs = 0.5;

/**
 * Sends a request on, and its answer back; counts its cost as it comes. Resolves when all of it is counted, whichever
 * side ended it.
 */
export function forwardRequest(response: ServerResponse, forwarded: ForwardedModelRequest): Promise<void> {
  return new Promise((resolve) => send(response, forwarded, resolve));
}

function send(response: ServerResponse, forwarded: ForwardedModelRequest, onEnd: () => void): void {
  const { options, account, dialect, id, request, method, path, body, paidRequest } = forwarded;
  const headers = dialect.passHeaders(request.headers);
  const upstream = openUpstreamRequest(forwarded.upstream, { method, path, headers, body });
  const began = performance.now();
  const granted = paidRequest?.granted ?? 0;
  const isTurn = paidRequest?.isTurn === true;
  const byTime = (): number => Math.ceil((performance.now() - began) * tokensPerMs);
  let isSent = false;
  let isDone = false;
  let hasAnswer = false;
  const settle = (status: number | null, tokens: number): void => {
    isDone = true;
    account.turns.release(id);
    options.giveBack(id);
    account.ledger.over(id);
    options.log({ method, path, status, tokens, refused: null });
    onEnd();
  };
  // Once all of a request is there, it is answered and paid for, whether or not a client reads the answer.
  const countDiscarded = (): number => {
    if (!isSent || paidRequest === null) return 0;
    const spent = computeSpendingOfDemand(paidRequest.demand, Math.min(granted, byTime()));
    account.ledger.count(id, spent);
    return spent.tokens;
  };
  upstream.on('finish', () => {
    isSent = true;
  });
  upstream.on('error', (error) => {
    if (hasAnswer) return void response.destroy();
    settle(null, countDiscarded());
    // The client hung up, and so ended it.
    if (response.destroyed) return;
    if (method === 'POST') account.noteTrouble(connectionErrorAsTrouble(error, addressOf(forwarded.upstream)), isTurn);
    sendModelApiError(response, dialect, 502, `The model API could not be reached: ${error.message}`);
  });
  upstream.on('response', (answer) => {
    hasAnswer = true;
    const now = options.now().getTime();
    const limit = parseServiceLimit(answer, now);
    if (isTurn && (answer.statusCode ?? 0) < 400) {
      account.noteTurnAnswered(null);
      paidRequest.onHeard();
    }
    if (method === 'POST') account.noteAnswer(answer.statusCode ?? 0, limit, forwarded.upstream);
    void relay(answer, response, {
      dialect,
      limit,
      now,
      settle,
      estimate: paidRequest?.estimate ?? null,
      prices: options.configuredModel.prices,
      granted,
      byTime,
      ...hear(forwarded, { limit, now }),
    });
  });
  // An agent that hangs up ends its request upstream too.
  response.on('close', () => {
    if (!isDone) upstream.destroy();
  });
  upstream.end(body);
}

/** Reads an answer for the state of the service, and for its cost. */
function hear(
  { account, id, method, paidRequest }: ForwardedModelRequest,
  { limit, now }: { readonly limit: ServiceLimit | null; readonly now: number },
): Pick<Parameters<typeof relay>[2], 'onRefusal' | 'onUsage'> {
  const isTurn = paidRequest?.isTurn === true;
  return {
    onRefusal: (said) => {
      if (limit !== null && method === 'POST')
        account.noteLimit(extendServiceLimitByBody(limit, said, now), { now, isTurn });
      else if (isTurn) account.noteTurnAnswered(said);
    },
    onUsage: (spent) => {
      account.ledger.count(id, spent);
      if (paidRequest === null || !spent.isReported) return;
      account.history.learn(paidRequest.prompt, { tokens: spent.input, cached: spent.cached, at: now });
    },
  };
}

function addressOf({ target: { host, port, socketPath } }: Upstream): string {
  return `${host ?? socketPath ?? ''}${port ? `:${port}` : ''}`;
}

/** Answers as the model API says that something is wrong; not to be tried again. */
export function sendModelApiError(
  response: ServerResponse,
  dialect: Dialect | null,
  status: number,
  message: string,
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-should-retry': 'false' });
  const body = dialect === null ? {} : dialect.refuse(status, message);
  response.end(response.req.method === 'HEAD' ? undefined : JSON.stringify(body));
}

// A client that waits longer would only hold its memory; the wave waits instead.
export const longestClientWaitMs = 30_000;

interface Relay {
  readonly dialect: Dialect;
  readonly limit: ServiceLimit | null;
  readonly now: number;
  readonly estimate: RequestCostEstimate | null;
  /** See CutAnswer. */
  readonly granted: number;
  byTime(): number;
  readonly prices: PriceList;
  onUsage(total: CountedUsage): void;
  /** Takes the whole message of a refusal. */
  onRefusal(body: string): void;
  settle(status: number, tokens: number): void;
}

/** Passes an answer on. Tokens are counted before the agent sees the part that reports them. */
async function relay(answer: IncomingMessage, response: ServerResponse, relayed: Relay): Promise<void> {
  const { headers, statusCode = 502 } = answer;
  const type = headers['content-type'] ?? '';
  const meter = createUsageMeter({
    dialect: relayed.dialect,
    contentType: type,
    encoding: headers['content-encoding'] ?? '',
    model: relayed.estimate?.model ?? '',
    prices: relayed.prices,
    onUsage: relayed.onUsage,
  });
  const held: Buffer[] = [];
  const isLong = (relayed.limit?.until ?? 0) - relayed.now > longestClientWaitMs;
  response.writeHead(statusCode, [
    ...answer.rawHeaders.filter(
      (_, index, all) => !connectionHeaders.has(all[index - (index % 2)]?.toLowerCase() ?? ''),
    ),
    ...(isLong ? ['x-should-retry', 'false'] : []),
  ]);
  response.flushHeaders();
  answer.on('data', (chunk: Buffer) => {
    meter.push(chunk);
    // A plain answer reports its tokens only when it is whole.
    if (type.includes('json')) held.push(chunk);
    else if (!response.write(chunk)) {
      answer.pause();
      response.once('drain', () => answer.resume());
    }
  });
  await new Promise<void>((resolve) => answer.on('close', () => resolve()));
  // The model wrote, and charges for, an answer that an agent cuts off before its end.
  const isCut = statusCode === 200 && !answer.complete;
  const { estimate, granted } = relayed;
  const cut = isCut && estimate !== null ? { estimate, granted, byTime: relayed.byTime() } : null;
  if (statusCode >= 400) relayed.onRefusal(Buffer.concat(held).toString());
  relayed.settle(statusCode, await meter.finish(cut));
  if (!answer.complete) return void response.destroy();
  response.end(Buffer.concat(held));
}
