import { type ClientRequest, type OutgoingHttpHeaders, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { ModelProvider } from '../../domain/config/known-clis.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { listWords } from '../../util/sort-and-group.ts';
import type { Dialect, ModelApiEndpoint } from './dialects/dialect.ts';
import { readCredential, readProviderAddress, readProviderFacts } from './model-credential.ts';
import type { Environment } from './read-variable.ts';

/** The model API behind a gateway, with the real credential. */
export interface Upstream {
  readonly isSecure: boolean;
  /** Host and port, or a socket file (a scripted model). */
  readonly target: RequestOptions;
  /** Put before each path. */
  readonly basePath: string;
  /** The beginning of paths that the address already has: `/v1` or ''. */
  readonly version: string;
  /** Replace what the agent sent under these names. */
  readonly credential: Readonly<Record<string, string>>;
  /** The variables it was read from. */
  readonly sources: readonly string[];
  /** Those it could have been read from. */
  readonly variables: readonly string[];
}

// Sent with a subscription's token, or the API doesn't take it.
const subscriptionBeta = 'oauth-2025-04-20';

/**
 * A provider's address and credential from the person's environment, as its CLIs would find them. A proxy in the
 * environment is not used. Throws FlameError `bad-base-url` or `bad-credential`.
 */
export function readUpstream(env: Environment, provider: ModelProvider): Upstream {
  const { name, address } = readProviderAddress(env, provider);
  const url = parseUrl(address, name);
  const { version, variables } = readProviderFacts(env, provider);
  const path = url.pathname.replace(/\/+$/, '');
  return {
    isSecure: url.protocol === 'https:',
    target: { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port, headers: { host: url.host } },
    // Servers of one's own are often written as host and port.
    basePath: path === '' ? version : path,
    version,
    ...readCredential(env, provider),
    variables,
  };
}

/** Opens a request with the agent's headers, those that are passed on; the credential joins them here. */
export function openUpstreamRequest(
  upstream: Upstream,
  call: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string | string[]>>;
    /** '' for none. */
    readonly body: string;
  },
): ClientRequest {
  const open = upstream.isSecure ? requestHttps : requestHttp;
  const { version } = upstream;
  const path = call.path.startsWith(`${version}/`) ? call.path.slice(version.length) : call.path;
  return open({
    ...upstream.target,
    method: call.method,
    path: upstream.basePath + path,
    headers: {
      ...headersFor(call.headers, upstream.credential),
      ...upstream.target.headers,
      ...(call.body === '' ? {} : { 'content-length': Buffer.byteLength(call.body) }),
    },
  });
}

/** Headers that concern one connection only, and so are never passed on. */
export const connectionHeaders = new Set(
  listWords(`
  connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding
  upgrade
`),
);

function headersFor(
  kept: Readonly<Record<string, string | string[]>>,
  credential: Readonly<Record<string, string>>,
): OutgoingHttpHeaders {
  const isSubscription = credential.authorization?.includes('sk-ant-oat') ?? false;
  const beta = [kept['anthropic-beta'], subscriptionBeta].flat().filter(Boolean).join(',');
  return {
    ...kept,
    ...(isSubscription ? { 'anthropic-beta': beta } : {}),
    // Compressed answers would have to be unpacked to be counted.
    'accept-encoding': 'identity',
    ...credential,
  };
}

function parseUrl(text: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw badAddress(name, 'is not an http or https address');
  if (url.username !== '' || url.password !== '')
    throw badAddress(name, 'contains a user or a password, which are not sent: set the key in its own variable');
  if (url.search !== '' || url.hash !== '')
    throw badAddress(name, 'ends with a query or a fragment, which are not sent');
  return url;
}

function badAddress(name: string, why: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'bad-base-url',
    message: `${name} ${why}.`,
    hints: [`unset ${name}`],
  });
}

/** A model API as the agent's CLI reaches it: what it asks for below the prefix is asked of the upstream. */
export interface ModelApiRoute {
  /** '' or `/openai`. */
  readonly prefix: string;
  readonly upstream: Upstream;
  /** At least one. */
  readonly dialects: readonly Dialect[];
}

/** The target of a request's address. */
export interface RequestTarget {
  readonly upstream: Upstream;
  readonly dialect: Dialect;
  readonly endpoint: ModelApiEndpoint;
  /** To ask upstream, with the parameters that are known. */
  readonly path: string;
}

const longestAddress = 2_000;

/** Where a request goes; null for what is no model API. `url` begins after the gateway's own address. */
export function findRequestTarget(method: string, url: string, routes: readonly ModelApiRoute[]): RequestTarget | null {
  if (url.length > longestAddress) return null;
  const plain = url.split('?', 1)[0] ?? '';
  const query = new URLSearchParams(url.slice(plain.length + 1));
  for (const { prefix, upstream, dialects } of routes.filter((route) => plain.startsWith(route.prefix))) {
    const path = plain.slice(prefix.length);
    for (const dialect of dialects) {
      const endpoint = dialect.find(method, path);
      if (endpoint !== null) return { upstream, dialect, endpoint, path: path + knownQuery(query, dialect.parameters) };
    }
  }
  return null;
}

/** Like headers, parameters that aren't known are not passed on; a key in the address is none of them. */
function knownQuery(query: URLSearchParams, parameters: Dialect['parameters']): string {
  const kept = [...query].filter(([name, value]) => {
    const allowed = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    return allowed?.test(value) ?? false;
  });
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`;
}

/** The part of an address after the gateway's own; null for another's. */
export function stripGatewayAddress(
  url: string,
  { socketPath, secret }: { readonly socketPath: string | null; readonly secret: string },
): string | null {
  const prefix = socketPath === null ? `/${secret}` : '';
  return url.startsWith(prefix) ? url.slice(prefix.length) || '/' : null;
}

/** The language to answer in where an address leads nowhere: that of the API it comes nearest to. */
export function findNearestDialect(url: string | null, routes: readonly ModelApiRoute[]): Dialect | null {
  const near = routes.filter(({ prefix }) => url?.startsWith(prefix) ?? false);
  return [...near, ...routes][0]?.dialects[0] ?? null;
}
