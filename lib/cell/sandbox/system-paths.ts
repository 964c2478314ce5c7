import { accessSync, constants, lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../util/read-file.ts';
import type { SystemPath } from '../runner-context.ts';
import { isThere } from './tool-paths.ts';

// Programs and what they read. Of /var that is little: caches of fonts, and what Debian's and others' packages keep
// there although it never varies.
const roots = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/sys',
  '/nix/store',
  '/gnu/store',
  '/var/cache/fontconfig',
  ...['aspell', 'ca-certificates', 'dictionaries-common', 'ghc', 'ispell', 'php', 'texmf', 'xml-core'].map(
    (name) => `/var/lib/${name}`,
  ),
];

export function listSystemPaths(): readonly SystemPath[] {
  return roots.filter(isThere).map((path) => ({ path, link: linkOf(path) }));
}

function linkOf(path: string): string | null {
  return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
}

const patienceMs = 60_000;
let known: { readonly paths: readonly string[]; readonly at: number } | null = null;

/**
 * Lists files in /etc that not every user may read: password hashes, keys of the host, connections. Root may, or a
 * group this user is in; an agent needs none of them.
 */
export function listPrivateSystemPaths(): readonly string[] {
  if (known === null || performance.now() - known.at > patienceMs)
    known = { paths: closedBelow('/etc'), at: performance.now() };
  return known.paths;
}

function closedBelow(folder: string): string[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const facts = lstatSync(path, { throwIfNoEntry: false });
    if (facts === undefined || facts.isSymbolicLink() || !isReadable(path)) return [];
    if (facts.isDirectory()) return (facts.mode & 0o005) === 0o005 ? closedBelow(path) : [path];
    return facts.isFile() && (facts.mode & 0o004) === 0 ? [path] : [];
  });
}

/** Whether a path can be read here: otherwise it can't be read in a cell either, nor covered. */
function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
