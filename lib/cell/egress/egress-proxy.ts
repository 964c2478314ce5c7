import { createServer } from 'node:http';
import { listenOn } from '../gateway/listen-on.ts';
import {
  type CellTrafficContext,
  createTrafficVolume,
  type EgressLogLine,
  type EgressRules,
  type HostLookup,
  lookUpHost,
  sendEgressRefusal,
} from './egress-rules.ts';
import { forwardPlainHttpRequest } from './forward-plain.ts';
import { openTunnel } from './tunnel.ts';

/** The way out of one cell to the hosts of its list: a proxy. */
export interface EgressProxy {
  /** The loopback port, 0 on a socket file. */
  readonly port: number;
  /** The refusals' messages, each once, the first few. */
  refusals(): readonly string[];
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface EgressOptions {
  readonly rules: EgressRules;
  /** null: a loopback port, for machines without network namespaces. */
  readonly socketPath: string | null;
  /** Clients show it as the proxy's password; null: any process that reaches the door may use it. */
  readonly secret: string | null;
  readonly ca: string | null;
  log(line: EgressLogLine): void;
  readonly resolve?: HostLookup;
  readonly idleMs?: number;
}

const patienceMs = 60_000;
// An agent's programs can open as many as they like; a package tool opens some dozens.
const mostConnections = 128;
const mostRefusals = 10;
// npm asks again at once, hundreds of times a second and for ever, where a tunnel is refused; where its connection only
// ends it gives up after a few. A program that obeys an answer has read one by then.
const mostAnswered = 100;

/** Serves one cell. Nothing is reached but what the rules name, each connection is one line of the log. */
export async function openEgressProxy(options: EgressOptions): Promise<EgressProxy> {
  const { rules, log, secret } = options;
  const refusals = new Set<string>();
  const volume = createTrafficVolume(rules);
  let refused = 0;
  const traffic: CellTrafficContext = {
    rules,
    ca: options.ca,
    resolve: options.resolve ?? lookUpHost,
    idleMs: options.idleMs ?? patienceMs,
    logConnection: (line) => {
      if (line.refused !== null && refusals.size < mostRefusals) refusals.add(line.refused);
      if (line.refused !== null) refused += 1;
      try {
        log({ phase: rules.phase, ...line });
        return line.refused === null || refused <= mostAnswered;
      } catch (error) {
        // A connection that can't be logged must not be served: nothing more comes in.
        volume.shut();
        refusals.add(brokeOff(error as Error));
        return false;
      }
    },
    volume,
  };
  const shown = `Basic ${Buffer.from(`${egressProxyUser}:${secret}`).toString('base64')}`;
  const isKnown = (header: string | undefined): boolean => secret === null || header === shown;
  // An error on one connection ends that one, not the program.
  const ending =
    (connection: { destroy(): unknown }) =>
    (error: Error): void => {
      refusals.add(brokeOff(error));
      connection.destroy();
    };
  const server = createServer((request, response) => {
    if (isKnown(request.headers['proxy-authorization']))
      return void forwardPlainHttpRequest(traffic, request, response).catch(ending(response));
    response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
  });
  server.maxConnections = mostConnections;
  server.on('connect', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (head.length > 0) socket.unshift(head);
    if (isKnown(request.headers['proxy-authorization']))
      return void openTunnel(traffic, request.url ?? '', socket).catch(ending(socket));
    sendEgressRefusal(socket, { status: 407, why: 'the proxy needs its password' });
  });
  const listening = await listenOn(server, options.socketPath);
  return { port: listening.port, refusals: () => [...refusals], close: listening.close };
}

/** The user's name in the address of a door that has a secret. */
export const egressProxyUser = 'cell';

function brokeOff({ message }: Error): string {
  return `a connection was closed: ${message}`;
}
