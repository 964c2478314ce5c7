import { lookup } from 'node:dns/promises';
import { BlockList, isIPv4 } from 'node:net';
import type { EgressHost, EgressPhase } from '../../domain/config/egress.ts';
import type { Registry } from './registry.ts';

/** The rules for the connections of one cell. */
export interface EgressRules {
  readonly phase: EgressPhase;
  readonly hosts: ReadonlySet<EgressHost>;
  /** Those of them that may lead to private or loopback addresses. */
  readonly privateHosts: ReadonlySet<EgressHost>;
  /** Asked by the gateway itself, with the person's credentials; see cellOrigin. */
  readonly registries: readonly Registry[];
  /** The list has `from-config`, and the person's own settings name no registry. */
  readonly isOwnEmpty: boolean;
  /** How much may come in over all connections. */
  readonly maxBytes: number;
  /** How much may go out over all connections: where TLS isn't opened, only the size shows that it is an upload. */
  readonly maxSent: number;
}

/** Why something was not reached: an HTTP status for the client, and a sentence. */
export interface Refusal {
  readonly status: number;
  readonly why: string;
}

export interface Address {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (host: string) => Promise<readonly Address[]>;

export const resolveName: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/** Why a host can't be reached by these rules; null: it can, where its addresses are public. */
export function refuseHost(rules: EgressRules, host: EgressHost): Refusal | null {
  if (rules.hosts.has(host)) return null;
  const none = rules.isOwnEmpty
    ? '; from-config adds none, since your own settings name no registry: npm, pypi, crates and go are the public ones'
    : '';
  const why = `${host} is not in sandbox.egress.${rules.phase} of .blueflame.yml${none}`;
  return { status: 403, why };
}

/**
 * The address to connect to, and no other: a name that is asked twice may lead elsewhere. Every address of the name
 * must be public, unless the configuration lets it be private.
 */
export async function findAddress(
  rules: EgressRules,
  { host, port }: { readonly host: string; readonly port: number },
  resolve: Resolve,
): Promise<Address | Refusal> {
  const found = await resolve(host).catch(() => []);
  const [first] = found;
  if (first === undefined) return { status: 502, why: `${host} has no address` };
  if (rules.privateHosts.has(`${host}:${port}`)) return first;
  const inside = found.find(({ address }) => isPrivateAddress(address));
  if (inside === undefined) return first;
  return {
    status: 403,
    why: `${host} leads to ${inside.address}, which is no public address; sandbox.egress.private of .blueflame.yml names those that may`,
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
