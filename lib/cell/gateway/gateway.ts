import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { computeSpendingOfDemand, type Spending } from '../../domain/state/spending.ts';
import {
  admitRequest,
  buildForbiddenRefusal,
  estimateRequestCost,
  grantOutputTokens,
  hasToken,
  longestReportedPath,
} from './admit-request.ts';
import { type ForwardedModelRequest, forwardRequest, sendModelApiError } from './forward-request.ts';
import type { GatewayContext, GatewayOptions, RefusedModelRequest } from './gateway-options.ts';
import { listenOn } from './listen-on.ts';
import type { ServiceLimit, ServiceTrouble } from './model-api-trouble.ts';
import { createGatewayAccount } from './service-account.ts';
import { findNearestDialect, findRequestTarget, stripGatewayAddress } from './upstream-model-api.ts';

/** The one way out of an agent's cell: to the model API, with the real credential, within the budget. */
export interface Gateway {
  /** Where it listens on loopback, '' on a socket file. */
  readonly url: string;
  /** Tokens of all responses so far, those still running included. */
  tokens(): number;
  /** The cost of all responses so far, in USD at list prices. */
  cost(): number;
  /** The most that requests may still use up that are not over. */
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

/**
 * Serves one agent. No request is sent whose input, or an answer of a sensible length to it, is more than is left; what
 * is left for its answer is the most it may write. Upstream errors pass through as they are.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  let asking = 0;
  const { account, patience, standing } = createGatewayAccount(options, () => asking > 0);
  const { total, underWay } = account.ledger;
  const sent = new Set<Promise<void>>();
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    const forward = (forwarded: ForwardedModelRequest): void => {
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
    underWay,
    limit: () => standing.limit,
    trouble: () => standing.trouble,
    close: async () => {
      patience.close();
      await listening.close();
      // The cost of requests that this cut off is counted a moment later.
      await Promise.all(sent);
      account.hints.close();
    },
  };
}

interface Serving extends GatewayContext {
  forward(forwarded: ForwardedModelRequest): void;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { forward, ...context }: Serving,
): Promise<void> {
  const { options } = context;
  const method = request.method ?? '';
  const url = stripGatewayAddress(request.url ?? '', options);
  const passage = url === null ? null : findRequestTarget(method, url, options.routes);
  const path = passage?.path ?? String(request.url).slice(0, longestReportedPath);
  const dialect = passage?.dialect ?? findNearestDialect(url, options.routes);
  const refuse = ({ status, why, message }: RefusedModelRequest): void => {
    options.log({ method, path, status, tokens: 0, refused: why });
    sendModelApiError(response, dialect, status, message);
  };
  // The CLI looks whether anybody answers, before it has its key.
  if (method === 'HEAD' && url === '/') return void response.writeHead(200).end();
  const isKnown = hasToken(request, options.token);
  if (passage === null) {
    const why = 'Only the model API can be reached.';
    if (isKnown) options.onForbidden({ rule: 'request-not-allowed', target: `${method} ${path}`, why });
    return refuse(buildForbiddenRefusal('path', why));
  }
  if (!isKnown) return refuse({ ...buildForbiddenRefusal('token', "Only the agent's CLI may use this."), status: 401 });
  const id = Symbol(path);
  const free = { ...context, ...passage, id, method, request, paidRequest: null };
  if (method !== 'POST') return forward({ ...free, body: '' });
  const admitted = await admitRequest(request, { ...context, ...passage });
  if ('why' in admitted) return refuse(admitted);
  if (!passage.endpoint.isPaid) return forward({ ...free, body: JSON.stringify(admitted.request) });
  const isTurn = passage.dialect.offersTools(admitted.request);
  const { request: hinted, onHeard } = context.account.hints.insertHints({ ...admitted, isTurn });
  const asked = estimateRequestCost({ ...admitted, request: hinted }, context);
  const giveBack = (): void => {
    context.account.turns.release(id);
    options.giveBack(id);
  };
  response.on('close', giveBack);
  const granted = await grantOutputTokens(id, asked, response, context);
  // Tokens that were granted while the client left are not given back yet.
  if (response.destroyed) return giveBack();
  if (typeof granted !== 'number') {
    giveBack();
    refuse(granted);
    return options.onRefused(granted.why);
  }
  // The next start after a kill reads here what this may have cost.
  context.account.ledger.send(id, computeSpendingOfDemand(asked.demand, granted));
  // From here on its turn ends when it is known what it cost.
  response.off('close', giveBack);
  const body = JSON.stringify(passage.dialect.prepare(hinted, granted));
  forward({ ...free, body, paidRequest: { ...asked, granted, isTurn, onHeard } });
}
