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
export function registryOriginInCell({ url }: Pick<Registry, 'url'>): string {
  return isLoopbackName(url.hostname) ? `http://registry-${portOfUrl(url)}.invalid` : `http://${url.host}`;
}

/** The port a URL leads to, written or not. */
export function portOfUrl({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number {
  return port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port);
}

/** The name or address in a URL, without the brackets around the newer kind. */
export function hostNameOfUrl({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** `host:port`, as lists of the configuration have it. */
export function hostAndPortOfUrl(url: URL): EgressHost {
  return `${hostNameOfUrl(url)}:${portOfUrl(url)}`;
}

/** Returns the URL that programs in the cell get. */
export function registryUrlInCell(registry: Pick<Registry, 'url'>): string {
  const { pathname, search } = registry.url;
  return `${registryOriginInCell(registry)}${pathname}${search}`;
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\./.test(host);
}

// The paths by which package tools read, as their protocols have it: other answers of a registry's host (whose token it
// is, all tokens, settings) are for the person alone.

const longestPath = 1_000;

/** Of npm: the one without its scope begins with neither `-`, below which a registry speaks of accounts, nor `.` or `_`. */
const npmName = String.raw`(?:@[\w.~-]+/)?[A-Za-z0-9~][\w.~!'()*-]*`;
const version = String.raw`\d[\w.+~-]*`;
const goModule = String.raw`[\w.~!-]+(?:/[\w.~!-]+)*`;
const folders = String.raw`(?:[A-Za-z0-9+@_][\w.+~@!=-]*/)*`;

interface ToolPaths {
  /** Paths it asks for below the registry's own address. */
  readonly below: RegExp;
  /** Files of packages, which may lie beside an index. */
  readonly files: RegExp;
}

const paths: Readonly<Record<Registry['tool'], ToolPaths>> = {
  npm: {
    below: whole(
      `${npmName}(?:/(?:${version}|latest))?`,
      String.raw`download/${npmName}/${version}/[\w-]+`,
      // By these it checks signatures.
      `-/npm/v1/(?:keys|attestations/${npmName}@${version})`,
    ),
    files: whole(String.raw`${npmName}/(?:[\w.~@+-]+/)*[\w.+~-]+\.tgz`),
  },
  pip: {
    below: whole(String.raw`(?:[A-Za-z0-9][\w.-]*/?)?`),
    files: whole(String.raw`${folders}[\w.+~@!-]+\.(?:whl|egg|zip|tgz|tar\.(?:gz|bz2|xz|Z))(?:\.metadata|\.asc)?`),
  },
  cargo: {
    below: whole(
      String.raw`config\.json`,
      String.raw`[12]/[\w-]{1,2}`,
      String.raw`3/[\w-]/[\w-]{3}`,
      String.raw`[\w-]{2}/[\w-]{2}/[\w-]{4,}`,
    ),
    files: whole(String.raw`${folders}[\w-]+/${version}/download`, String.raw`${folders}[\w.+-]+\.crate`),
  },
  go: {
    below: whole(
      String.raw`${goModule}/@(?:latest|v/(?:list|[\w.+!~-]+\.(?:info|mod|zip)))`,
      String.raw`sumdb/[\w.-]+/(?:supported|latest|lookup/[\w.~!/+-]+@[\w.+!~-]+|tile/[\w./]+)`,
    ),
    files: whole(String.raw`${goModule}/@v/[\w.+!~-]+\.zip`),
  },
};

function whole(...patterns: readonly string[]): RegExp {
  return new RegExp(`^(?:${patterns.join('|')})$`);
}

/** Whether a tool reads packages by this path of the registry's host: then the registry's credential is for it. */
export function isPackageReadPath({ tool, url }: Pick<Registry, 'tool' | 'url'>, path: string): boolean {
  const base = withSlash(url.pathname);
  const below = restOf(base, path);
  if (below !== null && (paths[tool].below.test(below) || paths[tool].files.test(below))) return true;
  const beside = restOf(base.replace(besideIndex, ''), path);
  return beside !== null && paths[tool].files.test(beside);
}

/** Whether it is the file of a package, wherever on a host it lies. */
export function isPackageFile(tool: Registry['tool'], path: string): boolean {
  const rest = restOf('/', path);
  return rest !== null && paths[tool].files.test(rest);
}

/** The end of an index's own address: what it names lies beside that. */
const besideIndex = /(?<=\/)(?:\+?simple|index|[^/]+\.html?)\/$/;

/** Returns a path below a folder, escapes resolved; null: it isn't below it, or a server might read it otherwise. */
function restOf(folder: string, path: string): string | null {
  const text = path === folder.slice(0, -1) ? folder : path;
  if (text.length > longestPath || !text.startsWith(folder)) return null;
  const plain = decodeEscapes(text.slice(folder.length));
  return plain === null || /[%\\;]|\/\/|^\/|(?:^|\/)\.{1,2}(?:\/|$)/.test(plain) ? null : plain;
}

/** A text with its `%` escapes resolved; null where one of them is none. */
export function decodeEscapes(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function withSlash(path: string): string {
  return path.replace(/\/*$/, '/');
}
