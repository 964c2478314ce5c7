import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type CellTrafficContext,
  type EgressRefusal,
  findAllowedAddress,
  findHostRefusal,
  isEgressRefusal,
  type NetworkAddress,
  sendEgressRefusal,
} from './egress-rules.ts';

const longestHello = 64 * 1024;

/**
 * Answers CONNECT: a connection to one host of the list, on which TLS for that very host is spoken. What is said on it
 * is not seen, so that it is not for uploads can be held to by its size alone.
 */
export async function openTunnel(traffic: CellTrafficContext, authority: string, client: Duplex): Promise<void> {
  const asked = parseAuthority(authority);
  const refuse = (refusal: EgressRefusal): void => {
    const isNoted = traffic.logConnection({
      method: 'CONNECT',
      target: authority.slice(0, 300),
      status: refusal.status,
      bytes: 0,
      sent: 0,
      refused: refusal.why,
    });
    if (isNoted) sendEgressRefusal(client, refusal);
    else client.destroy();
  };
  if (asked === null) return refuse({ status: 400, why: 'CONNECT needs host:port' });
  const refused = findHostRefusal(traffic.rules, `${asked.host}:${asked.port}`);
  if (refused !== null) return refuse(refused);
  const spent = traffic.volume.count('out', 0);
  if (spent !== null) return refuse(spent);
  const found = await findAllowedAddress(traffic.rules, asked, traffic.resolve);
  if (isEgressRefusal(found)) return refuse(found);
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

function dial({ address, family }: NetworkAddress, port: number, idleMs: number): Promise<Socket | null> {
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
function relay(traffic: CellTrafficContext, { host, port, client, server }: Ends): void {
  let [received, sent] = [0, 0];
  let ended = false;
  const end = (refused: string | null): void => {
    if (ended) return;
    ended = true;
    const target = `${host}:${port}`;
    traffic.logConnection({ method: 'CONNECT', target, status: null, bytes: received, sent, refused });
    client.destroy();
    server.destroy();
  };
  const stalled = (): void => end(`no data for ${Math.round(traffic.idleMs / 1_000)} s`);
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
  hello: RequestedHost | null,
  { host, port }: { readonly host: string; readonly port: number },
): string | null {
  if (hello === null) return `the data sent to ${host}:${port} is not TLS, and tunnels are only for TLS`;
  if (hello.name !== host) return `TLS asked for ${hello.name ?? 'no name'} on a connection to ${host}`;
  if (!hello.isVeiled) return null;
  return `TLS on a connection to ${host} holds an encrypted ClientHello (ECH), which may ask for another host: disable ECH in that program`;
}

/** Reads the client's first message, and puts nothing back: `bytes` is all that was read. null: it is none. */
function takeHello(client: Duplex): Promise<(RequestedHost & { readonly bytes: Buffer }) | null> {
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

/** The host that a ClientHello asks for. */
interface RequestedHost {
  /** null: none. */
  readonly name: string | null;
  /**
   * It may ask for another one that can't be seen (RFC 9849): a ClientHello that holds an encrypted one looks the same
   * as one that only pretends to.
   */
  readonly isVeiled: boolean;
}

const handshake = 22;
const clientHello = 1;
const serverName = 0;
const encryptedHello = 0xfe0d;

/**
 * Reads the host that the first bytes of a TLS connection ask for (RFC 8446 §4.1.2, RFC 6066 §3), which may come in
 * several records: 'more' are needed, or they are no TLS (null).
 */
function readHello(bytes: Buffer): RequestedHost | 'more' | null {
  const message = joinRecords(bytes);
  if (message === null) return null;
  if (message.length < 4) return 'more';
  if (message[0] !== clientHello) return null;
  const end = 4 + message.readUIntBE(1, 3);
  if (message.length < end) return 'more';
  try {
    return findHost(message.subarray(4, end));
  } catch {
    return null;
  }
}

/** The handshake's bytes out of as many records as are there; null where they are of another kind. */
function joinRecords(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== handshake || (at + 1 < bytes.length && bytes[at + 1] !== 3))
      return at === 0 ? null : Buffer.concat(parts);
    if (at + 5 > bytes.length) break;
    const length = bytes.readUInt16BE(at + 3);
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
  return Buffer.concat(parts);
}

/** Reads past what it isn't about; a length beyond the end throws. */
function findHost(hello: Buffer): RequestedHost {
  let at = 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  if (at === hello.length) return { name: null, isVeiled: false };
  const end = at + 2 + hello.readUInt16BE(at);
  let [name, isVeiled]: [string | null, boolean] = [null, false];
  for (at += 2; at < end; ) {
    const kind = hello.readUInt16BE(at);
    const length = hello.readUInt16BE(at + 2);
    if (kind === serverName && name !== null) throw new Error('It asks for two hosts.');
    if (kind === serverName) name = nameIn(hello.subarray(at + 4, at + 4 + length));
    if (kind === encryptedHello) isVeiled = true;
    at += 4 + length;
  }
  return { name, isVeiled };
}

/** Of a list that holds one name, as it must. */
function nameIn(list: Buffer): string | null {
  if (list.length < 5 || list[2] !== 0 || list.readUInt16BE(3) !== list.length - 5) return null;
  return list.subarray(5).toString('latin1').toLowerCase();
}
