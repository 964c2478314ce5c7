import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type AskedHost, readHello } from './client-hello.ts';
import { type Address, findAddress, type Refusal, refuseHost } from './egress-rules.ts';
import { answerBare, isRefusal, type Traffic } from './egress-traffic.ts';

const longestHello = 64 * 1024;

/**
 * Answers CONNECT: a connection to one host of the list, on which TLS for that very host is spoken. What is said on it
 * is not seen, so that it is not for uploads can be held to by its size alone.
 */
export async function openTunnel(traffic: Traffic, authority: string, client: Duplex): Promise<void> {
  const asked = parseAuthority(authority);
  const refuse = (refusal: Refusal): void => {
    const isNoted = traffic.note({
      method: 'CONNECT',
      target: authority.slice(0, 300),
      status: refusal.status,
      bytes: 0,
      sent: 0,
      refused: refusal.why,
    });
    if (isNoted) answerBare(client, refusal);
    else client.destroy();
  };
  if (asked === null) return refuse({ status: 400, why: 'CONNECT needs host:port' });
  const refused = refuseHost(traffic.rules, `${asked.host}:${asked.port}`);
  if (refused !== null) return refuse(refused);
  const spent = traffic.volume.count('out', 0);
  if (spent !== null) return refuse(spent);
  const found = await findAddress(traffic.rules, asked, traffic.resolve);
  if (isRefusal(found)) return refuse(found);
  const server = await dial(found, asked.port, traffic.idleMs);
  if (server === null) return refuse({ status: 504, why: `${asked.host}:${asked.port} can't be reached` });
  if (client.destroyed) return void server.destroy();
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  relay(traffic, { ...asked, client, server });
}

/** `host:port`; null where it is none. */
function parseAuthority(text: string): { readonly host: string; readonly port: number } | null {
  const found = /^([A-Za-z0-9._-]{1,253}):(\d{1,5})$/.exec(text);
  return found === null ? null : { host: (found[1] ?? '').toLowerCase(), port: Number(found[2]) };
}

function dial({ address, family }: Address, port: number, idleMs: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, family });
    const fail = (): void => {
      socket.destroy();
      resolve(null);
    };
    socket.setTimeout(idleMs, fail);
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.removeListener('error', fail);
      socket.removeListener('timeout', fail);
      resolve(socket);
    });
  });
}

interface Ends {
  readonly host: string;
  readonly port: number;
  readonly client: Duplex;
  readonly server: Socket;
}

/** Passes bytes both ways once the client has asked for that host by TLS. Logs one line about it, at its end. */
function relay(traffic: Traffic, { host, port, client, server }: Ends): void {
  let [received, sent] = [0, 0];
  let ended = false;
  const end = (refused: string | null): void => {
    if (ended) return;
    ended = true;
    const target = `${host}:${port}`;
    traffic.note({ method: 'CONNECT', target, status: null, bytes: received, sent, refused });
    client.destroy();
    server.destroy();
  };
  const stalled = (): void => end(`nothing moved for ${Math.round(traffic.idleMs / 1_000)} s`);
  server.setTimeout(traffic.idleMs, stalled);
  for (const side of [client, server]) {
    side.on('error', () => end(null));
    side.on('close', () => end(null));
  }
  server.on('data', (chunk: Buffer) => {
    received += chunk.length;
    const refused = traffic.volume.count('in', chunk.length);
    if (refused !== null) end(refused.why);
  });
  // Before the pipe gets the bytes: those over the limit never leave.
  const send = (chunk: Buffer): boolean => {
    const refused = traffic.volume.count('out', chunk.length);
    if (refused === null) sent += chunk.length;
    else end(refused.why);
    return refused === null;
  };
  void takeHello(client).then((hello) => {
    const refused = refuseHello(hello, { host, port });
    if (refused !== null) return end(refused);
    if (ended || hello === null || !send(hello.bytes)) return;
    server.write(hello.bytes);
    client.on('data', send);
    client.pipe(server).pipe(client);
  });
}

/** Why a connection that begins so goes no further. */
function refuseHello(
  hello: AskedHost | null,
  { host, port }: { readonly host: string; readonly port: number },
): string | null {
  if (hello === null)
    return `what was sent to ${host}:${port} is no TLS, and for nothing else a tunnel is opened`;
  if (hello.name !== host) return `TLS asked for ${hello.name ?? 'no name'} on a connection to ${host}`;
  if (!hello.isVeiled) return null;
  return `TLS on a connection to ${host} holds an encrypted ClientHello (ECH), which may ask for another host: switch ECH off in that program`;
}

/** Reads the client's first message, and puts nothing back: `bytes` is all that was read. null: it is none. */
function takeHello(client: Duplex): Promise<(AskedHost & { readonly bytes: Buffer }) | null> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const look = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const found = readHello(bytes);
      if (found === 'more' && bytes.length < longestHello) return;
      client.removeListener('data', look);
      client.pause();
      resolve(found === null || found === 'more' ? null : { ...found, bytes });
    };
    client.on('data', look);
  });
}
