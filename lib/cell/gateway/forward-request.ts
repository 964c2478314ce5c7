import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from './gateway-options.ts';
import type { Asked } from './grant-request.ts';
import { relay } from './relay-answer.ts';
import { readLimit } from './service-limit.ts';
import { readTrouble } from './service-trouble.ts';
import { openRequest, type Upstream } from './upstream.ts';

export interface Forwarded extends Context {
  readonly id: symbol;
  readonly request: IncomingMessage;
  readonly method: string;
  readonly path: string;
  /** '' for none. */
  readonly body: string;
  /** null of what costs nothing. */
  readonly asked: Asked | null;
}

/** Sends a request on, and its answer back; what it cost is counted as it comes. */
export function forwardRequest(response: ServerResponse, forwarded: Forwarded): void {
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
      ...{ limit, now, settle, estimate: asked?.estimate ?? null, prices: options.meant.prices },
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

/** Answers as the model API says that something is wrong; not to be tried again. */
export function answerError(response: ServerResponse, status: number, type: string, message: string): void {
  const body = JSON.stringify({ type: 'error', error: { type, message } });
  response.writeHead(status, { 'content-type': 'application/json', 'x-should-retry': 'false' });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
