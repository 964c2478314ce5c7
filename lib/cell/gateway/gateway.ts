import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { leastOf, type Spending, spendingOf, unlimited } from '../../domain/state/spending.ts';
import { admitRequest, forbidden, hasToken, longestPath } from './admit-request.ts';
import { answerError, type Forwarded, forwardRequest } from './forward-request.ts';
import type { Account, Context, GatewayOptions, Refused } from './gateway-options.ts';
import { estimateRequest, grantRequest } from './grant-request.ts';
import { listenOn } from './listen-on.ts';
import { placeHints } from './place-hints.ts';
import { openPromptHistory } from './prompt-history.ts';
import { longestClientWaitMs } from './relay-answer.ts';
import { openLedger } from './request-ledger.ts';
import { openTurns } from './request-turns.ts';
import { findPassage, nearestDialect, ownPath } from './routes.ts';
import { readErrorMessage, type ServiceLimit } from './service-limit.ts';
import { openPatience } from './service-patience.ts';
import type { ServiceTrouble } from './service-trouble.ts';

/** The one way out of an agent's cell: to the model API, with the real credential, within the budget. */
export interface Gateway {
  /** Where it listens on loopback, '' on a socket file. */
  readonly url: string;
  /** Tokens of all responses so far, those still running included. */
  tokens(): number;
  /** The same in USD at list prices. */
  cost(): number;
  /** What requests that are not over may still use up, at most. */
  underWay(): Spending;
  /** The limit the model API's last answer spoke of; null where it answered. */
  limit(): ServiceLimit | null;
  /** Why the last request failed, where it was for no limit; null where it was answered. */
  trouble(): ServiceTrouble | null;
  /** Ends all requests; once it resolves, all they cost is counted. */
  close(): Promise<void>;
}

// Each may hold a body of 32 MB here. A client that is turned away tries again.
const mostConnections = 64;
/** How often the service may refuse in a row: once more than a client that ends by itself asks. */
const mostRefusals = 4;
/** How many turns in a row it may call wrong: some clients shorten what they tell it and ask again, without an end. */
const mostRejected = 10;
/** The same where it said that waiting takes long, or is of no use. */
const mostOfLong = 2;

/**
 * Serves one agent. No request is sent whose input, or an answer of a sensible length to it, is more than is left; what
 * is left for its answer is the most it may write. Upstream errors pass through as they are.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const ledger = openLedger(options);
  const { total } = ledger;
  let limit: ServiceLimit | null = null;
  let trouble: ServiceTrouble | null = null;
  // In a row.
  let refusals = 0;
  let rejected = 0;
  let asking = 0;
  // Some clients ask again for minutes and say nothing, whatever they are told: the wave waits better.
  const patience = openPatience({
    longestWaitMs: longestClientWaitMs,
    isAsking: () => asking > 0,
    onOver: () => options.onRefused('service-limit'),
  });
  const sent = new Set<Promise<void>>();
  const account: Account = {
    noteAnswer: (status, found, { sources, variables }) => {
      limit = found;
      if (found === null) refusals = 0;
      trouble = status === 401 ? { kind: 'rejected', sources, variables } : null;
    },
    noteLimit: (found, { now, isTurn }) => {
      limit = found;
      refusals += 1;
      const wait = (found.until ?? now) - now;
      const isLong = wait > longestClientWaitMs;
      if (isTurn) patience.refused(wait);
      if (refusals >= (isLong || found.isQuota ? mostOfLong : mostRefusals))
        options.onRefused('service-limit');
    },
    noteTurn: (said) => {
      patience.answered();
      rejected = said === null ? 0 : rejected + 1;
      if (said === null) return;
      trouble ??= { kind: 'refused', said: readErrorMessage(said) };
      if (rejected >= mostRejected) options.onRefused('rejected');
    },
    noteTrouble: (found, isTurn) => {
      trouble = found;
      if (isTurn) patience.refused(0);
    },
    hints: placeHints(options.hints),
    noteUnpaid: (demand) => {
      trouble = { kind: 'unpaid', spent: total(), needs: spendingOf(demand, leastOf(demand)) };
    },
    history: openPromptHistory(),
    turns: openTurns({
      left: () => {
        const spent = total();
        const { tokenLimit, usdLimit } = options;
        return {
          tokens: tokenLimit > 0 ? tokenLimit - spent.tokens : unlimited.tokens,
          cost_usd: usdLimit > 0 ? usdLimit - spent.cost_usd : unlimited.cost_usd,
        };
      },
      used: ledger.used,
    }),
    ledger,
  };
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    const forward = (forwarded: Forwarded): void => {
      const ended = forwardRequest(response, forwarded).finally(() => sent.delete(ended));
      sent.add(ended);
    };
    asking += 1;
    response.once('close', () => {
      asking -= 1;
    });
    serve(request, response, { options, account, forward }).catch(() => response.destroy());
  });
  server.maxConnections = mostConnections;
  const listening = await listenOn(server, options.socketPath);
  const isTcp = options.socketPath === null;
  return {
    url: isTcp ? `http://127.0.0.1:${listening.port}/${options.secret}` : '',
    tokens: () => total().tokens,
    cost: () => total().cost_usd,
    underWay: ledger.underWay,
    limit: () => limit,
    trouble: () => trouble,
    close: async () => {
      patience.close();
      await listening.close();
      // What it cut off is counted a moment later.
      await Promise.all(sent);
      account.hints.close();
    },
  };
}

interface Serving extends Context {
  forward(forwarded: Forwarded): void;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { forward, ...context }: Serving,
): Promise<void> {
  const { options } = context;
  const method = request.method ?? '';
  const url = ownPath(request.url ?? '', options);
  const passage = url === null ? null : findPassage(method, url, options.routes);
  const path = passage?.path ?? String(request.url).slice(0, longestPath);
  const dialect = passage?.dialect ?? nearestDialect(url, options.routes);
  const refuse = ({ status, why, message }: Refused): void => {
    options.log({ method, path, status, tokens: 0, refused: why });
    answerError(response, dialect, status, message);
  };
  // The CLI looks whether anybody answers, before it has its key.
  if (method === 'HEAD' && url === '/') return void response.writeHead(200).end();
  const isKnown = hasToken(request, options.token);
  if (passage === null) {
    const why = 'Only the model API can be reached.';
    if (isKnown) options.onForbidden({ rule: 'request-not-allowed', target: `${method} ${path}`, why });
    return refuse(forbidden('path', why));
  }
  if (!isKnown)
    return refuse({ ...forbidden('token', 'This is for the CLI of the agent alone.'), status: 401 });
  const id = Symbol(path);
  const free = { ...context, ...passage, id, method, request, asked: null };
  if (method !== 'POST') return forward({ ...free, body: '' });
  const admitted = await admitRequest(request, { ...context, ...passage });
  if ('why' in admitted) return refuse(admitted);
  if (!passage.endpoint.isPaid) return forward({ ...free, body: JSON.stringify(admitted.request) });
  const isTurn = passage.dialect.offersTools(admitted.request);
  const { request: hinted, onHeard } = context.account.hints.place({ ...admitted, isTurn });
  const asked = estimateRequest({ ...admitted, request: hinted }, context);
  const giveBack = (): void => {
    context.account.turns.release(id);
    options.giveBack(id);
  };
  response.on('close', giveBack);
  const granted = await grantRequest(id, asked, response, context);
  // What was granted while the client went, nobody gave back yet.
  if (response.destroyed) return giveBack();
  if (typeof granted !== 'number') {
    giveBack();
    refuse(granted);
    return options.onRefused(granted.why);
  }
  // Whoever finds this killed knows what it may have cost.
  context.account.ledger.send(id, spendingOf(asked.demand, granted));
  // From here on its turn ends when it is known what it cost.
  response.off('close', giveBack);
  const body = JSON.stringify(passage.dialect.prepare(hinted, granted));
  forward({ ...free, body, asked: { ...asked, granted, isTurn, onHeard } });
}
