import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { asDiskFullError } from '../../domain/disk-errors.ts';
import { errorMessage } from '../../util/error-text.ts';
import { findConnectionPeers } from '../../util/process-ancestors.ts';

export interface PageRequest {
  readonly method: string;
  /** Decoded path segments: `/api/file/1-auth` is `['api', 'file', '1-auth']`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** The parsed JSON of a POST; undefined without one. */
  readonly body: unknown;
}

export type PageResponse =
  | { readonly kind: 'page'; readonly render: (nonce: string) => Promise<string> | string }
  | { readonly kind: 'html'; readonly html: string }
  | { readonly kind: 'json'; readonly status?: number; readonly value: unknown }
  /** Stays open: one event for each call of `send`. */
  | { readonly kind: 'events'; readonly open: (stream: EventStream) => void };

export interface EventStream {
  send(value: unknown): void;
  end(): void;
  onClose(listener: () => void): void;
}

export interface PageServer {
  /** With the token: anyone who has it may decide. */
  readonly url: string;
  /** An address that works once, for a file that leads a browser here; `onUsed` hears when it has. */
  openingUrl(onUsed: () => void): string;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface PageServerOptions {
  /** Of the loopback network, unless a person says otherwise. */
  readonly host?: string;
  /** 0, the default: one that is free. */
  readonly port?: number;
  /** Paths of whole pages, which are asked for with the token in their address. */
  readonly pages?: readonly string[];
  /** Where a tunnel of the person's own leads here, `https://box.example:8443`; absent: nowhere. */
  readonly address?: URL | undefined;
  /** Why a process of this machine may look but not decide here; null: it may. Absent: each may. */
  readonly stranger?: (pid: number) => string | null;
}

const maxBody = 2_000_000;
/** What is read of a larger one, so that the answer arrives. */
const mostRead = 4 * maxBody;
/** A tab with more than this unsent is asleep: its stream is closed, and it reconnects when it wakes. */
const mostWaiting = 4_000_000;
/** Connections: each holds a descriptor of a process that may lead a run. */
const mostConnections = 256;
/** Of them those that have not shown the token: beyond it the oldest end, so that others find room. */
const mostStrangers = 64;
/** What has come in by then has been read. */
const readingMs = 200;
/** How long a request may take to arrive, and its headers. */
const arrivalLimits = { requestTimeout: 60_000, headersTimeout: 10_000, connectionsCheckingInterval: 5_000 };
/** Interval of pings, by which dead connections are detected. */
const pingMs = 20_000;

/**
 * Serves the page on a loopback port of its own, to clients that know the random token: in the address for the page
 * itself, in a header for everything else. Requests that name another host are refused, with or without the token.
 * Rejects where the port is taken (EADDRINUSE) or can't be had.
 */
export async function servePage(
  answer: (request: PageRequest) => Promise<PageResponse>,
  { host = '127.0.0.1', port = 0, pages = ['/'], address, stranger = () => null }: PageServerOptions = {},
): Promise<PageServer> {
  const token = randomBytes(24).toString('base64url');
  const tickets = new Map<string, () => void>();
  let origin = '';
  const strangers = new Set<Socket>();
  const server = createServer(arrivalLimits, (request, response) => {
    const origins = address === undefined ? [origin] : [origin, address.origin];
    const exchange = { request, response, token, tickets, answer, origin, origins, pages, stranger };
    handle(exchange, () => strangers.delete(request.socket)).catch((error: unknown) => {
      const isTheirs = error instanceof SyntaxError || error instanceof URIError;
      refuse(response, isTheirs ? 400 : 500, describeFailure(error));
    });
  });
  const endOldest = (): void => {
    for (const socket of [...strangers].slice(0, -mostStrangers)) socket.destroy();
  };
  server.maxConnections = mostConnections;
  server.on('connection', (socket) => {
    strangers.add(socket);
    socket.once('close', () => strangers.delete(socket));
    if (strangers.size > mostStrangers) setTimeout(endOldest, readingMs).unref();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // Asked of a server that closes, while the last requests come in, it would say nothing.
  origin = originOf(server);
  return {
    url: `${origin}/?token=${token}`,
    openingUrl: (onUsed) => {
      const ticket = randomBytes(24).toString('base64url');
      tickets.set(ticket, onUsed);
      return `${origin}/?ticket=${ticket}`;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        // Open streams have said goodbye; what still hangs would keep the command from ending.
        setTimeout(() => server.closeAllConnections(), 250).unref();
      }),
  };
}

function describeFailure(error: unknown): string {
  const full = asDiskFullError(error, ' try again.');
  return full === null ? errorMessage(error) : `${full.message}. ${full.hints.join(' ')}`;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly token: string;
  readonly tickets: Map<string, () => void>;
  readonly origin: string;
  /** By which it may be asked for. */
  readonly origins: readonly string[];
  readonly pages: readonly string[];
  stranger(pid: number): string | null;
  answer(request: PageRequest): Promise<PageResponse>;
}

/** `onKnown`: once the token was shown. */
async function handle(exchange: Exchange, onKnown: () => void): Promise<void> {
  const { request, response, token, tickets, origin, origins, pages } = exchange;
  const asked = request.url ?? '/';
  if (!URL.canParse(asked, origin)) return refuse(response, 400, 'This is not an address.');
  const url = new URL(asked, origin);
  if (!origins.some((one) => new URL(one).host === request.headers.host))
    return refuse(response, 403, 'This request names another host.');
  const from = request.headers.origin;
  if (from !== undefined && !origins.includes(from))
    return refuse(response, 403, 'This request comes from another page.');
  const isPage = pages.includes(url.pathname);
  const ticket = url.searchParams.get('ticket');
  const onUsed = isPage && ticket !== null ? tickets.get(ticket) : undefined;
  if (ticket !== null && onUsed !== undefined) {
    tickets.delete(ticket);
    onUsed();
    response.writeHead(302, { ...headers, location: `${origin}/?token=${token}` }).end();
    return;
  }
  const given = isPage ? url.searchParams.get('token') : request.headers['x-flame-token'];
  if (typeof given !== 'string' || !isSame(given, token))
    return refuse(response, 403, 'This address is not valid, or no longer valid. git flame prints the current one.');
  onKnown();
  if (request.method !== 'GET' && request.method !== 'POST')
    return refuse(response, 405, 'Only GET and POST are supported.');
  const path = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
  const body = request.method === 'POST' ? await readBody(request) : undefined;
  const message = body === undefined ? null : strangeSender(exchange);
  if (message !== null) return send(exchange, { kind: 'json', status: 403, value: { message } });
  const query = url.searchParams;
  await send(exchange, await exchange.answer({ method: request.method, path, query, body }));
}

/** Checks the sending process: the token may have been read where it was printed. */
function strangeSender({ request, stranger }: Exchange): string | null {
  const senders = findConnectionPeers(request.socket);
  if (senders === null) return 'The process that sent this ended before it could be identified.';
  return senders.map((pid) => stranger(pid)).find((message) => message !== null) ?? null;
}

/** Both are hashed first: the time it takes reveals nothing, not even the length. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

async function send({ request, response }: Exchange, answer: PageResponse): Promise<void> {
  switch (answer.kind) {
    case 'page': {
      const nonce = randomBytes(16).toString('base64');
      const html = await answer.render(nonce);
      respond(response, { type: 'text/html; charset=utf-8', text: html, policy: pagePolicy(nonce) });
      return;
    }
    case 'html':
      respond(response, { type: 'text/html; charset=utf-8', text: answer.html });
      return;
    case 'json':
      respond(response, {
        type: 'application/json',
        text: JSON.stringify(answer.value),
        status: answer.status ?? 200,
      });
      return;
    case 'events':
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
      answer.open(streamTo(request, response));
  }
}

function streamTo(request: IncomingMessage, response: ServerResponse): EventStream {
  const write = (text: string): void => {
    if (response.writableLength > mostWaiting) response.destroy();
    else if (!response.destroyed) response.write(text);
  };
  const pinging = setInterval(() => write(': still there\n\n'), pingMs).unref();
  request.on('close', () => clearInterval(pinging));
  return {
    send: (value) => write(`data: ${JSON.stringify(value)}\n\n`),
    end: () => void response.end(),
    onClose: (listener) => void request.on('close', listener),
  };
}

interface Response {
  readonly type: string;
  readonly text: string;
  readonly status?: number;
  readonly policy?: string;
}

function respond(response: ServerResponse, { type, text, status = 200, policy }: Response): void {
  const own = policy === undefined ? {} : { 'content-security-policy': policy };
  response.writeHead(status, { ...headers, ...own, 'content-type': type }).end(text);
}

/** With the connection, so that no more of the request is read. */
function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) return void response.end();
  response.setHeader('connection', 'close');
  respond(response, { type: 'text/plain; charset=utf-8', text: `${message}\n`, status });
}

const nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const headers = {
  'content-security-policy': nothing,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

function pagePolicy(nonce: string): string {
  return `${nothing}; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; img-src data:`;
}

function originOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Keeps no more than a page of ours would send. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBody) chunks.push(chunk);
    if (size > mostRead) break;
  }
  if (size > maxBody) throw new SyntaxError('the request is too large');
  return JSON.parse(Buffer.concat(chunks).toString());
}
