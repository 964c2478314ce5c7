import { lookup } from 'node:dns/promises';
import { appendFileSync } from 'node:fs';
import { BlockList, isIPv4 } from 'node:net';
import type { Duplex } from 'node:stream';
import type { EgressHost, EgressPhase } from '../../domain/config/egress.ts';
import type { Registry } from './package-registry.ts';

/** The rules for the connections of one cell. */
export interface EgressRules {
  readonly phase: EgressPhase;
  readonly hosts: ReadonlySet<EgressHost>;
  /** Those of them that may lead to private or loopback addresses. */
  readonly privateHosts: ReadonlySet<EgressHost>;
  /** Asked by the gateway itself, with the person's credentials; see registryOriginInCell. */
  readonly registries: readonly Registry[];
  /** The list has `from-config`, and the person's own settings name no registry. */
  readonly isOwnEmpty: boolean;
  /** How much may come in over all connections. */
  readonly maxBytes: number;
  /** How much may go out over all connections: where TLS isn't opened, only the size shows that it is an upload. */
  readonly maxSent: number;
}

/** Why something was not reached: an HTTP status for the client, and a sentence. */
export interface EgressRefusal {
  readonly status: number;
  readonly why: string;
}

export interface NetworkAddress {
  readonly address: string;
  readonly family: number;
}

export type HostLookup = (host: string) => Promise<readonly NetworkAddress[]>;

export const lookUpHost: HostLookup = (host) => lookup(host, { all: true, verbatim: true });

/** Why a host can't be reached by these rules; null: it can, where its addresses are public. */
export function findHostRefusal(rules: EgressRules, host: EgressHost): EgressRefusal | null {
  if (rules.hosts.has(host)) return null;
  const none = rules.isOwnEmpty
    ? '; from-config adds no host, because your own settings name no registry. For the public ones: npm, pypi, crates, go'
    : '';
  const why = `${host} is not in sandbox.egress.${rules.phase} of .blueflame.yml${none}`;
  return { status: 403, why };
}

/**
 * The address to connect to, and no other: a name that is asked twice may lead elsewhere. Every address of the name
 * must be public, unless the configuration lets it be private.
 */
export async function findAllowedAddress(
  rules: EgressRules,
  { host, port }: { readonly host: string; readonly port: number },
  resolve: HostLookup,
): Promise<NetworkAddress | EgressRefusal> {
  const found = await resolve(host).catch(() => []);
  const [first] = found;
  if (first === undefined) return { status: 502, why: `${host} has no address` };
  if (rules.privateHosts.has(`${host}:${port}`)) return first;
  const inside = found.find(({ address }) => isPrivateAddress(address));
  if (inside === undefined) return first;
  return {
    status: 403,
    why: `${host} resolves to ${inside.address}, which is not a public address; sandbox.egress.private in .blueflame.yml allows such hosts`,
  };
}

/** Of this machine, its network, or none at all. */
export function isPrivateAddress(address: string): boolean {
  if (isIPv4(address)) return closed.check(address, 'ipv4');
  return closed.check(address.replace(/%.*$/, ''), 'ipv6');
}

const closed = new BlockList();
const closedNets = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
  '::/127',
  'fc00::/7',
  'fe80::/9',
  'ff00::/8',
  // These hold any addresses of IPv4; the list itself handles `::ffff:`.
  '64:ff9b::/32',
  '2001::/32',
  '2002::/16',
];
for (const [net = '', bits] of closedNets.map((written) => written.split('/')))
  closed.addSubnet(net, Number(bits), net.includes(':') ? 'ipv6' : 'ipv4');

/** One connection that left the cell, or would have. */
export interface EgressLogLine {
  readonly phase: string;
  readonly method: string;
  /** `host:port`, a path behind it where the gateway sees one. */
  readonly target: string;
  /** null: nothing was answered, or what was can't be seen. */
  readonly status: number | null;
  /** Bytes that came in. */
  readonly bytes: number;
  /** Bytes that went out. */
  readonly sent: number;
  readonly refused: string | null;
}

/** The context in which each connection of one cell is served. */
export interface CellTrafficContext {
  readonly rules: EgressRules;
  readonly resolve: HostLookup;
  /** A connection on which nothing moves so long is ended. */
  readonly idleMs: number;
  /** Certificates that the person's tools trust beside the built-in ones. */
  readonly ca: string | null;
  /** false: it could not be written down. Throws nothing. */
  logConnection(line: Omit<EgressLogLine, 'phase'>): boolean;
  readonly volume: CellTrafficVolume;
}

/** The volume over all connections of one cell. */
export interface CellTrafficVolume {
  /** Counts bytes that came in, or are about to go out. A refusal: these and all later ones are too many. */
  count(way: 'in' | 'out', bytes: number): EgressRefusal | null;
  /** Lets nothing more through. */
  shut(): void;
}

/** Counts from nothing, within what the rules allow. */
export function createTrafficVolume(rules: Pick<EgressRules, 'maxBytes' | 'maxSent'>): CellTrafficVolume {
  const total = { in: 0, out: 0 };
  return {
    count: (way, bytes) => {
      total[way] += bytes;
      if (total.in > rules.maxBytes) return tooMuch('downloaded', rules.maxBytes, 'max_mb');
      if (total.out > rules.maxSent) return tooMuch('sent', rules.maxSent, 'max_sent_mb');
      return null;
    },
    shut: () => {
      total.in = Number.POSITIVE_INFINITY;
    },
  };
}

function tooMuch(what: string, bytes: number, key: string): EgressRefusal {
  const mb = Math.floor(bytes / 1024 / 1024);
  const why = `this cell has ${what} its limit of ${mb} MB over all connections (sandbox.egress.${key} of .blueflame.yml)`;
  return { status: 403, why };
}

export function isEgressRefusal(found: NetworkAddress | EgressRefusal): found is EgressRefusal {
  return 'why' in found;
}

/** Answers a CONNECT, or a request no answer was begun for, on the bare connection. */
export function sendEgressRefusal(socket: Duplex, { status, why }: EgressRefusal): void {
  const body = `git-flame: ${why}.\n`;
  const reason = `git-flame: ${why}`.replace(/[^\x20-\x7e]/g, '?');
  const head = `HTTP/1.1 ${status} ${reason}\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
  socket.end(head + body);
}

// An agent's own programs can repeat a refused request as often as they like.
const mostRefused = 20_000;

/** Makes a log of every request that leaves, and of those that are refused as many as anybody would read. */
export function openEgressLog<Line extends { readonly refused: string | null }>(
  file: string,
  now: () => Date,
): (line: Line) => void {
  let refused = 0;
  const log = (line: Line): void =>
    appendFileSync(file, `${JSON.stringify({ timestamp: now().toISOString(), ...line })}\n`, { mode: 0o600 });
  return (line) => {
    if (line.refused !== null) refused += 1;
    if (line.refused === null || refused < mostRefused) log(line);
    else if (refused === mostRefused) log({ ...line, refused: `${line.refused}; no more of these are logged` });
  };
}
