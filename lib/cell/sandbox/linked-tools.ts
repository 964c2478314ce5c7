import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isBelow, linkTarget, realPath } from '../../util/path-places.ts';
import { entriesIn } from '../../util/read-file.ts';
import { isThere, packagePaths } from './tool-paths.ts';

/**
 * Where programs in the folders of PATH really are, when they are reached through links that lead elsewhere, and
 * toolchains outside homes: folders and files to show. `isShown` says what is shown already.
 */
export function linkedTools(
  folders: readonly string[],
  homes: readonly string[],
  isShown: (path: string) => boolean,
): readonly string[] {
  const own = folders
    .flatMap((folder) => [folder, realPath(folder)])
    .filter((folder) => !isShown(folder) && !homes.some((home) => isBelow(folder, home)))
    .flatMap(prefixOutside);
  const isNew = (path: string): boolean => !isShown(path) && !own.some((folder) => isBelow(path, folder));
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
  const found = entriesIn(folder)
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
    const next = linkTarget(at);
    if (next === null) break;
    at = resolve(dirname(at), next);
    steps.push(at);
  }
  return isThere(link) ? [...steps, realPath(link)] : [];
}

function packageAround(path: string, homes: readonly string[]): readonly string[] {
  const home = homes.find((one) => isBelow(path, one));
  if (home === undefined && !path.includes('/node_modules/')) return [path, ...prefixOutside(dirname(path))];
  const folder = dirname(path);
  const prefix = dirname(folder);
  // An environment with a program of its own, such as pipx and uv make: not a folder that many share.
  const isEnvironment = basename(folder) === 'bin' && isThere(join(prefix, 'pyvenv.cfg'));
  return isEnvironment ? [prefix] : packagePaths(path, home ?? '/');
}

/** The toolchain a folder of programs outside homes belongs to; the folder alone where there's no sign of one. */
function prefixOutside(folder: string): readonly string[] {
  const optional = /^\/opt\/[^/]+/.exec(folder)?.[0];
  if (optional !== undefined) return [optional];
  const prefix = dirname(folder);
  if (basename(folder) !== 'bin' || dirname(prefix) === '/') return isDeep(folder) ? [folder] : [];
  const isToolchain = ['lib', 'libexec', 'pyvenv.cfg', 'share'].some((name) => isThere(join(prefix, name)));
  const isSomebodys = ['.git', '.ssh', '.profile', '.bashrc'].some((name) => isThere(join(prefix, name)));
  return isToolchain && !isSomebodys ? [prefix] : [folder];
}

/** A folder right below / holds anything. */
function isDeep(folder: string): boolean {
  return dirname(folder) !== '/' && folder !== '/';
}
