import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { npmHost } from '../../domain/config/egress.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { type Environment, readVariable } from '../gateway/read-variable.ts';
import { decodeEscapes, type Registry } from './package-registry.ts';

/** The registries that the person's package tools are set up for. */
export interface PersonRegistries {
  readonly registries: readonly Registry[];
  /** The registry npm asks for packages of no other scope; null: nothing is written. */
  readonly npmMain: Registry | null;
  /** The registry of each npm scope that has its own, `@scope`. */
  readonly scopes: ReadonlyMap<string, Registry>;
  /** The registry in place of crates.io; null: none. */
  readonly crates: Registry | null;
  /** Indexes and folders on this machine that pip looks in: these need no way out. */
  readonly pipFiles: { readonly indexes: readonly string[]; readonly links: readonly string[] };
  /** GONOSUMDB, GOSUMDB and the like, as they are. */
  readonly goSettings: Readonly<Record<string, string>>;
}

/**
 * The registries that the person's own settings name: npm's user and global npmrc, pip.conf, cargo's config.toml, go's
 * env file, and their variables. What a repository says counts for nothing here. Unreadable files name none.
 */
export function readRegistries(env: Environment): PersonRegistries {
  const home = env.HOME ?? homedir();
  const npm = readNpm(env, home);
  const pip = readPip(env, home);
  const crates = readCargo(env, home);
  const go = readGo(env, home);
  return {
    registries: [...npm.registries, ...pip.registries, ...(crates === null ? [] : [crates]), ...go.registries],
    npmMain: npm.npmMain,
    scopes: npm.scopes,
    crates,
    pipFiles: pip.files,
    goSettings: go.settings,
  };
}

/** `key = value` lines; pip's go on in lines that are indented. */
function readPairs(text: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  let last = '';
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*[#;[]/.test(line) || line.trim() === '') continue;
    const found = /^([^\s=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line);
    if (found === null) {
      if (/^\s/.test(line) && last !== '') pairs.set(last, `${pairs.get(last) ?? ''} ${line.trim()}`.trim());
      continue;
    }
    last = found[1] ?? '';
    pairs.set(last, (found[2] ?? '').replace(/^(["'])(.*)\1$/, '$2'));
  }
  return pairs;
}

/** A registry out of an address that may hold a user and password; null where it is none on the network. */
function registryAt(
  tool: Registry['tool'],
  text: string | undefined,
  authorization: string | null = null,
): Registry | null {
  if (text === undefined || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  const { username, password } = url;
  const own = username === '' ? null : basic([username, password].map((part) => decodeEscapes(part) ?? part).join(':'));
  url.username = '';
  url.password = '';
  return { tool, url, authorization: authorization ?? own };
}

function basic(userAndPassword: string): string {
  return `Basic ${Buffer.from(userAndPassword).toString('base64')}`;
}

function readNpm(env: Environment, home: string): Pick<PersonRegistries, 'registries' | 'npmMain' | 'scopes'> {
  const ofEnv = (name: string): string | undefined =>
    env[`npm_config_${name}`] ?? env[`NPM_CONFIG_${name.toUpperCase()}`];
  const files = [ofEnv('globalconfig') ?? '/etc/npmrc', ofEnv('userconfig') ?? join(home, '.npmrc')];
  const settings = new Map(files.flatMap((file) => [...readPairs(readTextOrEmpty(file))]));
  const expand = (value: string): string =>
    value.replace(/\$\{([^}]+)\}/g, (whole, name) => readVariable(env, name) || whole);
  const values = new Map([...settings].map(([key, value]) => [key, expand(value)]));
  const main = ofEnv('registry') ?? values.get('registry');
  if (main !== undefined) values.set('registry', main);
  const scopes = new Map<string, Registry>();
  const found: Registry[] = [];
  let npmMain: Registry | null = null;
  for (const [key, value] of values) {
    const scope = /^(@[^:]+):registry$/.exec(key)?.[1];
    if (key !== 'registry' && scope === undefined) continue;
    const at = registryAt('npm', value);
    const registry = at === null ? null : { ...at, authorization: npmCredential(at.url, values) ?? at.authorization };
    if (registry === null) continue;
    found.push(registry);
    if (scope === undefined) npmMain = registry;
    else scopes.set(scope, registry);
  }
  // A credential names its registry too: npm's own is asked without being written down.
  for (const key of values.keys()) {
    const place = /^\/\/(.+?)\/?:(?:_authToken|_auth|username)$/.exec(key)?.[1];
    const registry = place === undefined ? null : registryAt('npm', `https://${place}/`);
    if (registry === null || found.some(({ url }) => url.host === registry.url.host)) continue;
    const named = { ...registry, authorization: npmCredential(registry.url, values) };
    found.push(named);
    // No other than npm's own is asked for everything because it has a credential.
    if (main === undefined && named.url.href === `https://${npmHost}/`) npmMain = named;
  }
  return { registries: found, npmMain, scopes };
}

/** npm looks for a credential at the registry's address, then at each folder above. */
function npmCredential({ host, pathname }: URL, values: ReadonlyMap<string, string>): string | null {
  for (let path = pathname.replace(/\/+$/, ''); ; path = path.slice(0, path.lastIndexOf('/'))) {
    for (const end of ['/:', ':']) {
      const of = (name: string): string | undefined => values.get(`//${host}${path}${end}${name}`);
      const [token, auth, user, password] = [of('_authToken'), of('_auth'), of('username'), of('_password')];
      if (token !== undefined) return `Bearer ${token}`;
      if (auth !== undefined) return `Basic ${auth}`;
      if (user !== undefined && password !== undefined)
        return basic(`${user}:${Buffer.from(password, 'base64').toString()}`);
    }
    if (path === '') return null;
  }
}

function readPip(
  env: Environment,
  home: string,
): { readonly registries: readonly Registry[]; readonly files: PersonRegistries['pipFiles'] } {
  const own = env.PIP_CONFIG_FILE;
  const base = env.XDG_CONFIG_HOME ?? join(home, '.config');
  const files = ['/etc/pip.conf', join(home, '.pip', 'pip.conf'), join(base, 'pip', 'pip.conf')];
  const settings = new Map(
    [...files, ...(own === undefined ? [] : [own])].flatMap((file) => [...readPairs(readTextOrEmpty(file))]),
  );
  const words = (name: string, variable: string): string[] =>
    (env[variable] ?? settings.get(name) ?? '').split(/\s+/).filter((word) => word !== '');
  const indexes = [
    ...words('index-url', 'PIP_INDEX_URL').slice(0, 1),
    ...words('extra-index-url', 'PIP_EXTRA_INDEX_URL'),
  ];
  const links = words('find-links', 'PIP_FIND_LINKS');
  const isLocal = (word: string): boolean => word.startsWith('/') || word.startsWith('file:');
  return {
    registries: [...indexes, ...links].flatMap((word) => registryAt('pip', word) ?? []),
    files: { indexes: indexes.filter(isLocal), links: links.filter(isLocal) },
  };
}

/** `[source.crates-io] replace-with` leads to the source that stands in its place; its sparse index is asked. */
function readCargo(env: Environment, home: string): Registry | null {
  const folder = env.CARGO_HOME ?? join(home, '.cargo');
  const text = readTextOrEmpty(join(folder, 'config.toml')) || readTextOrEmpty(join(folder, 'config'));
  const sections = readSections(text);
  let at = sections.get('source.crates-io');
  for (let steps = 0; steps < 5 && at?.has('replace-with') === true; steps += 1)
    at = sections.get(`source.${at.get('replace-with')}`);
  const index = at?.get('registry');
  if (index === undefined || !index.startsWith('sparse+')) return null;
  // A token is for the registry it is written for: that of `[registry]` is for crates.io, and nothing in its place.
  const name = [...sections].find(
    ([title, pairs]) => title.startsWith('registries.') && pairs.get('index') === index,
  )?.[0];
  const credentials = dirname(folder) === home ? readSections(readTextOrEmpty(join(folder, 'credentials.toml'))) : null;
  const token = name === undefined ? undefined : credentials?.get(name)?.get('token');
  return registryAt('cargo', index.slice('sparse+'.length), token ?? null);
}

/** Reads the settings below each `[title]` of a TOML file; titles without quotes. */
function readSections(text: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const parts = text.split(/^[ \t]*\[/m).slice(1);
  return new Map(
    parts.map((part) => {
      const [head = '', ...lines] = part.split('\n');
      const plain = lines
        .map((line) => line.trimStart())
        .join('\n')
        .replace(/^(.*?=\s*("[^"\n]*"|'[^'\n]*'))\s*#.*$/gm, '$1');
      return [head.replace(/\].*$/s, '').replaceAll(/["'\s]/g, ''), readPairs(plain)];
    }),
  );
}

function readGo(
  env: Environment,
  home: string,
): { readonly registries: readonly Registry[]; readonly settings: Readonly<Record<string, string>> } {
  const base = env.XDG_CONFIG_HOME ?? join(home, '.config');
  const file = readPairs(readTextOrEmpty(env.GOENV ?? join(base, 'go', 'env')));
  const of = (name: string): string | undefined => env[name] ?? file.get(name);
  const proxies = (of('GOPROXY') ?? '').split(/[,|]/);
  const settings = ['GOSUMDB', 'GONOSUMDB', 'GONOSUMCHECK', 'GOPRIVATE', 'GONOPROXY'].flatMap((name) => {
    const value = of(name);
    return value === undefined ? [] : [[name, value]];
  });
  return {
    registries: proxies.flatMap((word) => registryAt('go', word) ?? []),
    settings: Object.fromEntries(settings) as Record<string, string>,
  };
}
