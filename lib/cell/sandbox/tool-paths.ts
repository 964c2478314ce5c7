import { statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isProgram } from '../../util/child-programs.ts';
import { listEntriesIn } from '../../util/read-file.ts';
import {
  folderShowsKeyPath,
  isKeyOrPasswordPath,
  isSameOrBelowFolder,
  readLinkTarget,
  realPathOrSame,
} from '../../util/real-and-private-paths.ts';

// Below these a person keeps credentials and documents beside programs: never shown as a whole.
const sharedPrefixes = new Set(['.local', '.cargo', '.config', '.cache', '.npm', 'snap']);
// Toolchains that are started through a small program in PATH.
const toolchains = ['.rustup', '.cargo/registry', '.cargo/git', '.local/lib', '.local/share/mise', '.local/share/fnm'];

/** The folders of PATH that exist and are absolute, in order, each once. */
export function listSearchFolders(path: string): string[] {
  return [...new Set(path.split(':'))].filter((folder) => isAbsolute(folder) && pathExists(folder));
}

/** The program's absolute path: as written, or the first executable of that name in the folders; null if absent. */
export function findProgram(name: string, folders: readonly string[], workingDirectory: string): string | null {
  const candidates = name.includes('/')
    ? [resolve(workingDirectory, name)]
    : folders.map((folder) => join(folder, name));
  return candidates.find(isProgram) ?? null;
}

/** Lists the paths that programs of PATH need to run although their folders are below hidden ones. */
export function listToolchainPaths(folders: readonly string[], homes: readonly string[]): string[] {
  return [...new Set(homes.flatMap((home) => toolchainsOf(folders, home)))];
}

function toolchainsOf(folders: readonly string[], home: string): string[] {
  const own = folders.flatMap((folder) => [folder, realPathOrSame(folder)]).flatMap((path) => prefixOf(path, home));
  const hasHomeTools = folders.some((folder) => isSameOrBelowFolder(folder, home));
  const known = hasHomeTools ? toolchains.map((name) => join(home, name)).filter(pathExists) : [];
  return [...own, ...known];
}

/**
 * The file, and the package it belongs to: its `node_modules`, or the folder of its package.json. Never a folder for
 * lying beside the file, nothing from a person's places for keys, and never a home.
 */
export function listPackagePaths(file: string, home: string): string[] {
  const files = [file, realPathOrSame(file)].filter((path) => !isKeyOrPasswordPath(path, home));
  return [...new Set(files.flatMap((path) => [path, ...packageOf(path, home)]))];
}

/** Whether anything is there that can be looked at; a dangling link is not. */
export function pathExists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Below a folder of another user.
    return false;
  }
}

function prefixOf(folder: string, home: string): string[] {
  const prefix = dirname(folder);
  if (basename(folder) !== 'bin' && basename(folder) !== 'shims') return [folder];
  const parts = partsOf(prefix);
  if (isSameOrBelowFolder(prefix, home) && parts !== null)
    return [folder, ...parts.map((part) => join(prefix, part)).filter(pathExists)];
  const isShared = home === '/' || !isSameOrBelowFolder(prefix, home) || folderShowsKeyPath(prefix, home);
  return isShared || sharedPrefixes.has(basename(prefix)) ? [folder] : [prefix];
}

// Prefixes that are no toolchains: programs are there beside sources and settings. What of it they need.
const partsOfPrefixes: Readonly<Record<string, readonly string[]>> = {
  go: ['pkg'],
  '.krew': ['store'],
  '.npm-global': ['lib', 'share'],
  '.npm-packages': ['lib', 'share'],
};

function partsOf(prefix: string): readonly string[] | null {
  // A Go toolchain says its version; GOPATH has the same name in a home.
  return pathExists(join(prefix, 'VERSION')) ? null : (partsOfPrefixes[basename(prefix)] ?? null);
}

function packageOf(path: string, home: string): string[] {
  const modules = path.indexOf('/node_modules/');
  if (modules > 0) return [path.slice(0, modules + '/node_modules'.length)];
  for (let folder = dirname(path); !mayHoldAnything(folder, home); folder = dirname(folder))
    if (pathExists(join(folder, 'package.json'))) return [folder];
  return [];
}

/** Whether it is a home, above one, or a folder that programs of all kinds write into: then it is no package. */
function mayHoldAnything(folder: string, home: string): boolean {
  return ['/', '/tmp', '/var/tmp', '/root'].includes(folder) || folderShowsKeyPath(folder, home);
}

/**
 * Where programs in the folders of PATH really are, when they are reached through links that lead elsewhere, and
 * toolchains outside homes: folders and files to show. `isShown` says what is shown already.
 */
export function listLinkedToolPaths(
  folders: readonly string[],
  homes: readonly string[],
  isShown: (path: string) => boolean,
): readonly string[] {
  const own = folders
    .flatMap((folder) => [folder, realPathOrSame(folder)])
    .filter((folder) => !isShown(folder) && !homes.some((home) => isSameOrBelowFolder(folder, home)))
    .flatMap(prefixOutside);
  const isNew = (path: string): boolean => !isShown(path) && !own.some((folder) => isSameOrBelowFolder(path, folder));
  const linked = folders.flatMap(linksLeading).filter(isNew);
  return [...new Set([...own, ...linked.flatMap((path) => packageAround(path, homes))])];
}

const longestChain = 20;
const known = new Map<string, { readonly changed: number; readonly leading: readonly string[] }>();

/** Lists the targets of a folder's links that lead out of it, each step of the way. */
function linksLeading(folder: string): readonly string[] {
  const changed = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const last = known.get(folder);
  if (last?.changed === changed) return last.leading;
  const found = listEntriesIn(folder)
    .filter((entry) => entry.isSymbolicLink())
    .flatMap(({ name }) => stepsOf(join(folder, name)))
    .filter((path) => dirname(path) !== folder);
  const leading = [...new Set(found)];
  known.set(folder, { changed, leading });
  return leading;
}

function stepsOf(link: string): readonly string[] {
  const steps: string[] = [];
  for (let at = link; steps.length < longestChain; ) {
    const next = readLinkTarget(at);
    if (next === null) break;
    at = resolve(dirname(at), next);
    steps.push(at);
  }
  return pathExists(link) ? [...steps, realPathOrSame(link)] : [];
}

function packageAround(path: string, homes: readonly string[]): readonly string[] {
  const home = homes.find((one) => isSameOrBelowFolder(path, one));
  if (home === undefined && !path.includes('/node_modules/')) return [path, ...prefixOutside(dirname(path))];
  const folder = dirname(path);
  const prefix = dirname(folder);
  // An environment with a program of its own, such as pipx and uv make: not a folder that many share.
  const isEnvironment = basename(folder) === 'bin' && pathExists(join(prefix, 'pyvenv.cfg'));
  return isEnvironment ? [prefix] : listPackagePaths(path, home ?? '/');
}

/** The toolchain a folder of programs outside homes belongs to; the folder alone where there's no sign of one. */
function prefixOutside(folder: string): readonly string[] {
  const optional = /^\/opt\/[^/]+/.exec(folder)?.[0];
  if (optional !== undefined) return [optional];
  const prefix = dirname(folder);
  // A folder right below / holds anything.
  if (basename(folder) !== 'bin' || dirname(prefix) === '/') return dirname(folder) === '/' ? [] : [folder];
  const isToolchain = ['lib', 'libexec', 'pyvenv.cfg', 'share'].some((name) => pathExists(join(prefix, name)));
  const isPersonalFolder = ['.git', '.ssh', '.profile', '.bashrc'].some((name) => pathExists(join(prefix, name)));
  return isToolchain && !isPersonalFolder ? [prefix] : [folder];
}
