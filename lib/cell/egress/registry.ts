import type { EgressHost } from '../../domain/config/egress.ts';

/** A package registry that the person's own tools are set up for. */
export interface Registry {
  readonly tool: 'npm' | 'pip' | 'cargo' | 'go';
  /** Without a credential. */
  readonly url: URL;
  /** The header it is asked with; null: none. */
  readonly authorization: string | null;
}

/**
 * How a cell writes the registry's origin: as plain HTTP, which goes to the gateway, where it becomes what it is, with
 * the credential. A loopback name would be looked for in the cell itself.
 */
export function cellOrigin({ url }: Pick<Registry, 'url'>): string {
  return isLoopbackName(url.hostname) ? `http://registry-${portOf(url)}.invalid` : `http://${url.host}`;
}

/** The port a URL leads to, written or not. */
export function portOf({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number {
  return port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port);
}

/** The name or address in a URL, without the brackets around the newer kind. */
export function nameOf({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** `host:port`, as lists of the configuration have it. */
export function hostOf(url: URL): EgressHost {
  return `${nameOf(url)}:${portOf(url)}`;
}

/** Returns the URL that programs in the cell get. */
export function cellUrl(registry: Pick<Registry, 'url'>): string {
  const { pathname, search } = registry.url;
  return `${cellOrigin(registry)}${pathname}${search}`;
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\./.test(host);
}
