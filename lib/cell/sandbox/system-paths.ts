import { accessSync, constants, type Dirent, lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { listEntriesIn, listNamesIn } from '../../util/read-file.ts';
import { isSameOrBelowFolder, readLinkTarget } from '../../util/real-and-private-paths.ts';
import { listWords } from '../../util/sort-and-group.ts';
import type { SystemPath } from '../runner-context.ts';
import { pathExists } from './tool-paths.ts';

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
  return roots.filter(pathExists).map((path) => ({ path, link: readLinkTarget(path) }));
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
  return listNamesIn(folder).flatMap((name) => {
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

/**
 * Files and folders of /proc through which the whole machine can be set: all that is no process, no link, and not
 * a file for reading only. Empty where there is no /proc.
 */
export function listKernelEntries(): readonly string[] {
  return listNamesIn('/proc')
    .filter((name) => !/^\d+$/.test(name))
    .map((name) => join('/proc', name))
    .filter(isSettable);
}

function isSettable(path: string): boolean {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  return facts?.isDirectory() === true || (facts?.isFile() === true && (facts.mode & 0o222) !== 0);
}

// Entries that git itself keeps in a common folder, by gitrepository-layout(5), or leaves while it works. Submodules'
// own folders, hooks of the person and large files are git's, too, but no agent's git needs them.
const entriesOfGit = new Set(
  listWords(`
  HEAD config config.worktree description info objects refs packed-refs logs shallow worktrees reftable index
  blueflame branches remotes sequencer
`),
);
const passingOfGit =
  /^(?:[A-Z_]+(?:_HEAD|_MSG|_MODE|_RR|EDITMSG|MERGE|LOG|TERMS|START|NAMES)|AUTO_MERGE|rebase-.*|gc\..*|sharedindex\..*|next-index-.*|fsmonitor--daemon.*|.*\.lock|tmp_.*)$/;
const entriesOfInfo = new Set(['exclude', 'attributes', 'grafts', 'sparse-checkout', 'refs', 'alternates']);
// By these names people keep keys, also beside programs.
const keyName =
  /\.(?:pem|key|p12|pfx|jks|kdbx|env|secret|ppk)$|^(?:credentials|secrets?)(?:\..*)?$|^id_(?:rsa|dsa|ecdsa|ed25519)$/i;
// While they write their shims, pyenv and its like hold a lock beside them: gone before it could be covered, it would keep
// the cell from starting.
const passingLock = /^\.[a-z]+env-shim$/;
const privateFolders = new Set(['.git', '.ssh', '.aws', '.gnupg', '.kube', '.docker', '.config', '.azure']);

/** Lists entries beside git's own in a common folder: files of other programs, and the person's. */
export function listEntriesForeignToGit(commonDir: string): readonly string[] {
  const own = listEntriesIn(commonDir).filter(({ name }) => !entriesOfGit.has(name) && !passingOfGit.test(name));
  const info = listEntriesIn(join(commonDir, 'info')).filter(
    ({ name }) => !entriesOfInfo.has(name) && !name.endsWith('.lock'),
  );
  return [...pathsOf(commonDir, own), ...pathsOf(join(commonDir, 'info'), info)];
}

/** Lists files beside programs of a home, in their folders and right above: keys, and settings with tokens. */
export function listProgramNeighbours(folders: readonly string[], homes: readonly string[]): readonly string[] {
  const ofHomes = folders.filter((folder) => homes.some((home) => home !== '/' && isSameOrBelowFolder(folder, home)));
  const above = ofHomes
    .filter((folder) => ['bin', 'shims'].includes(basename(folder)))
    .map((folder) => dirname(folder));
  return [...new Set([...ofHomes, ...above])].flatMap((folder) =>
    pathsOf(folder, listEntriesIn(folder).filter(isForeign)),
  );
}

function isForeign(entry: Dirent): boolean {
  const { name } = entry;
  if (entry.isDirectory()) return privateFolders.has(name);
  if (passingLock.test(name)) return false;
  return entry.isFile() && (name.startsWith('.') || keyName.test(name));
}

function pathsOf(folder: string, entries: readonly Dirent[]): readonly string[] {
  // The target of a link is shown or hidden on its own account.
  return entries.filter((entry) => entry.isFile() || entry.isDirectory()).map(({ name }) => join(folder, name));
}
