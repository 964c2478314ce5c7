import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveReadPathEntry } from '../../domain/config/hidden-paths.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { LaunchFile } from '../../domain/ports/adapter.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { listWords } from '../../util/sort-and-group.ts';
import { type Registry, registryUrlInCell } from './package-registry.ts';
import type { PersonRegistries } from './read-registries.ts';

/** Variables and files of a home by which package tools in a cell ask the gateway. No credential is in them. */
export interface PackageToolSettings {
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly LaunchFile[];
}

/** How tools in a cell find the proxy, and the person's registries behind it; `person` is null where these aren't asked for. */
export function buildPackageToolSettings(
  proxy: string,
  { person, certificates }: { readonly person: PersonRegistries | null; readonly certificates: Certificates },
): PackageToolSettings {
  const own = person === null ? { env: {}, files: [] } : registrySettings(person);
  return {
    env: {
      ...Object.fromEntries(proxyVariables.map((name) => [name, proxy])),
      // A project's own test servers are in the cell.
      ...Object.fromEntries(['no_proxy', 'NO_PROXY'].map((name) => [name, 'localhost,127.0.0.1,::1'])),
      NODE_USE_ENV_PROXY: '1',
      CARGO_HTTP_MULTIPLEXING: 'false',
      ...certificates.env,
      ...own.env,
    },
    files: own.files,
  };
}

/** Settings of a cell without a way out: tools that find no host report it at once, instead of retrying for minutes. */
export const offlinePackageToolSettings = {
  npm_config_fetch_retries: '0',
  // Without one it doesn't say why it found nothing.
  PIP_RETRIES: '1',
  CARGO_NET_RETRY: '0',
} as const;

/** Below a home. */
export const cargoConfigPath = '.cargo/config.toml';

// libcurl reads the one for plain HTTP in small letters alone.
const proxyVariables = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'];

function registrySettings(person: PersonRegistries): PackageToolSettings {
  const of = (tool: Registry['tool']): readonly Registry[] => person.registries.filter((one) => one.tool === tool);
  const npmrc = [
    ...(person.npmMain === null ? [] : [`registry=${registryUrlInCell(person.npmMain)}`]),
    ...[...person.scopes].map(([scope, one]) => `${scope}:registry=${registryUrlInCell(one)}`),
    // Or what a registry answers, and lock files, would name it by an address that goes past the credential.
    ...(of('npm').length === 0 ? [] : ['replace-registry-host=always']),
  ];
  const crates = person.crates === null ? [] : [crateSource(person.crates)];
  const pip = of('pip');
  const indexes = [...pip.map(registryUrlInCell), ...person.pipFiles.indexes];
  const go = of('go');
  return {
    env: {
      ...(indexes.length === 0 ? {} : pipVariables(indexes, pip)),
      ...(person.pipFiles.links.length === 0 ? {} : { PIP_FIND_LINKS: person.pipFiles.links.join(' ') }),
      ...(go.length === 0 ? {} : { GOPROXY: go.map(registryUrlInCell).join(',') }),
      ...person.goSettings,
    },
    files: [
      ...(npmrc.length === 0 ? [] : [{ dir: 'home' as const, path: '.npmrc', content: `${npmrc.join('\n')}\n` }]),
      ...crates.map((content) => ({ dir: 'home' as const, path: cargoConfigPath, content })),
    ],
  };
}

function pipVariables(indexes: readonly string[], registries: readonly Registry[]): Record<string, string> {
  const [first = '', ...more] = indexes;
  return {
    PIP_INDEX_URL: first,
    ...(more.length === 0 ? {} : { PIP_EXTRA_INDEX_URL: more.join(' ') }),
    // To the gateway it is a way inside this machine; from there on it is what the person's settings say.
    PIP_TRUSTED_HOST: registries.map((one) => new URL(registryUrlInCell(one)).host).join(' '),
  };
}

/** Where the files lie that an index called `simple` names, beside it. */
const besideSimple = ['files', 'packages'];

/**
 * Folders of this machine that the person's pip looks in, absolute: those that cells show, and those of the settings
 * that none does, since they are homes, places of keys, or hold one of these.
 */
export function listPipFolders(
  { pipFiles: { indexes, links } }: Pick<PersonRegistries, 'pipFiles'>,
  home: string,
): { readonly shown: readonly string[]; readonly hidden: readonly string[] } {
  const named = [...indexes, ...links].flatMap(folderOf);
  const beside = indexes
    .flatMap(folderOf)
    .filter((index) => basename(index) === 'simple')
    .flatMap((index) => besideSimple.map((name) => join(dirname(index), name)));
  const isShown = (path: string): boolean => mayBeShown(path, home);
  return {
    shown: [...named, ...beside].filter((path) => existsSync(path) && isShown(path)),
    hidden: named.filter((path) => existsSync(path) && !isShown(path)),
  };
}

/** Nothing for an address of another machine. */
function folderOf(place: string): readonly string[] {
  if (place.startsWith('/')) return [join(place)];
  try {
    return [fileURLToPath(place)];
  } catch {
    return [];
  }
}

function mayBeShown(path: string, home: string): boolean {
  try {
    resolveReadPathEntry(path, home);
    return true;
  } catch (error) {
    if (error instanceof FlameError) return false;
    throw error;
  }
}

function crateSource(registry: Registry): string {
  return `[source.crates-io]\nreplace-with = "flame"\n[source.flame]\nregistry = "sparse+${registryUrlInCell(registry)}"\n`;
}

/** Where the person's tools find the certificates they trust. */
export interface Certificates {
  /** The variables that name files of them, as the tools in a cell need them. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly files: readonly string[];
}

/** Reads them from the environment and from npm's and pip's settings; a file that isn't there counts for nothing. */
export function readCertificates(env: Readonly<Record<string, string | undefined>>): Certificates {
  const home = env.HOME ?? '/';
  const named: readonly (readonly [string, string | undefined])[] = [
    ...certificateVariables.map((name) => [name, env[name]] as const),
    ['npm_config_cafile', env.npm_config_cafile ?? readLine(join(home, '.npmrc'), /^\s*cafile\s*=\s*"?(.+?)"?\s*$/m)],
    ['PIP_CERT', env.PIP_CERT ?? readLine('/etc/pip.conf', /^\s*cert\s*=\s*(.+?)\s*$/m)],
  ];
  const found = named.filter(
    (pair): pair is readonly [string, string] => pair[1]?.startsWith('/') === true && existsSync(pair[1]),
  );
  return { env: Object.fromEntries(found), files: [...new Set(found.map(([, file]) => file))] };
}

const certificateVariables = listWords(`
  NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE CARGO_HTTP_CAINFO
  GIT_SSL_CAINFO
`);

function readLine(file: string, pattern: RegExp): string | undefined {
  return pattern.exec(readTextOrEmpty(file))?.[1];
}
