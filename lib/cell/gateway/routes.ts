import type { Dialect, Endpoint } from './dialects/dialect.ts';
import type { Upstream } from './upstream.ts';

/** A model API as the agent's CLI reaches it: what it asks for below the prefix is asked of the upstream. */
export interface Route {
  /** '' or `/openai`. */
  readonly prefix: string;
  readonly upstream: Upstream;
  /** At least one. */
  readonly dialects: readonly Dialect[];
}

/** The target of a request's address. */
export interface Passage {
  readonly upstream: Upstream;
  readonly dialect: Dialect;
  readonly endpoint: Endpoint;
  /** To ask upstream, with the parameters that are known. */
  readonly path: string;
}

const longestAddress = 2_000;

/** Where a request goes; null for what is no model API. `url` begins after the gateway's own address. */
export function findPassage(method: string, url: string, routes: readonly Route[]): Passage | null {
  if (url.length > longestAddress) return null;
  const plain = url.split('?', 1)[0] ?? '';
  const query = new URLSearchParams(url.slice(plain.length + 1));
  for (const { prefix, upstream, dialects } of routes.filter((route) => plain.startsWith(route.prefix))) {
    const path = plain.slice(prefix.length);
    for (const dialect of dialects) {
      const endpoint = dialect.find(method, path);
      if (endpoint !== null)
        return { upstream, dialect, endpoint, path: path + knownQuery(query, dialect.parameters) };
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
export function ownPath(
  url: string,
  { socketPath, secret }: { readonly socketPath: string | null; readonly secret: string },
): string | null {
  const prefix = socketPath === null ? `/${secret}` : '';
  return url.startsWith(prefix) ? url.slice(prefix.length) || '/' : null;
}

/** The language to answer in where an address leads nowhere: that of the API it comes nearest to. */
export function nearestDialect(url: string | null, routes: readonly Route[]): Dialect | null {
  const near = routes.filter(({ prefix }) => url?.startsWith(prefix) ?? false);
  return [...near, ...routes][0]?.dialects[0] ?? null;
}
