import type { IncomingMessage, ServerResponse } from 'node:http';
import { spendingOf } from '../../domain/state/spending.ts';
import type { Dialect } from './dialects/dialect.ts';
import type { Context } from './gateway-options.ts';
import type { Asked } from './grant-request.ts';
import { relay } from './relay-answer.ts';
import type { Passage } from './routes.ts';
import { readLimit, readLimitBody, type ServiceLimit } from './service-limit.ts';
import { readTrouble } from './service-trouble.ts';
import { openRequest, type Upstream } from './upstream.ts';

export interface Forwarded extends Context, Passage {
  readonly id: symbol;
  readonly request: IncomingMessage;
  readonly method: string;
  /** '' for none. */
  readonly body: string;
  /** null of what costs nothing. */
  readonly asked: (Asked & Granted) | null;
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
export function forwardRequest(response: ServerResponse, forwarded: Forwarded): Promise<void> {
  return new Promise((resolve) => send(response, forwarded, resolve));
}

function send(response: ServerResponse, forwarded: Forwarded, onEnd: () => void): void {
  const { options, account, dialect, id, request, method, path, body, asked } = forwarded;
  const headers = dialect.passHeaders(request.headers);
  const upstream = openRequest(forwarded.upstream, { method, path, headers, body });
  const began = performance.now();
  const granted = asked?.granted ?? 0;
  const isTurn = asked?.isTurn === true;
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
  const countUnheard = (): number => {
    if (!isSent || asked === null) return 0;
    const spent = spendingOf(asked.demand, Math.min(granted, byTime()));
    account.ledger.count(id, spent);
    return spent.tokens;
  };
  upstream.on('finish', () => {
    isSent = true;
  });
  upstream.on('error', (error) => {
    if (hasAnswer) return void response.destroy();
    settle(null, countUnheard());
    // The client hung up, and so ended it.
    if (response.destroyed) return;
    if (method === 'POST') account.noteTrouble(readTrouble(error, addressOf(forwarded.upstream)), isTurn);
    answerError(response, dialect, 502, `The model API could not be reached: ${error.message}`);
  });
  upstream.on('response', (answer) => {
    hasAnswer = true;
    const now = options.now().getTime();
    const limit = readLimit(answer, now);
    if (isTurn && (answer.statusCode ?? 0) < 400) {
      account.noteTurn(null);
      asked.onHeard();
    }
    if (method === 'POST') account.noteAnswer(answer.statusCode ?? 0, limit, forwarded.upstream);
    void relay(answer, response, {
      dialect,
      limit,
      now,
      settle,
      estimate: asked?.estimate ?? null,
      prices: options.meant.prices,
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
  { account, id, method, asked }: Forwarded,
  { limit, now }: { readonly limit: ServiceLimit | null; readonly now: number },
): Pick<Parameters<typeof relay>[2], 'onRefusal' | 'onUsage'> {
  const isTurn = asked?.isTurn === true;
  return {
    onRefusal: (said) => {
      if (limit !== null && method === 'POST')
        account.noteLimit(readLimitBody(limit, said, now), { now, isTurn });
      else if (isTurn) account.noteTurn(said);
    },
    onUsage: (spent) => {
      account.ledger.count(id, spent);
      if (asked === null || !spent.isTold) return;
      account.history.learn(asked.prompt, { tokens: spent.input, cached: spent.cached, at: now });
    },
  };
}

function addressOf({ target: { host, port, socketPath } }: Upstream): string {
  return `${host ?? socketPath ?? ''}${port ? `:${port}` : ''}`;
}

/** Answers as the model API says that something is wrong; not to be tried again. */
export function answerError(
  response: ServerResponse,
  dialect: Dialect | null,
  status: number,
  message: string,
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-should-retry': 'false' });
  const body = dialect === null ? {} : dialect.refuse(status, message);
  response.end(response.req.method === 'HEAD' ? undefined : JSON.stringify(body));
}
