import type { Dirent } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isBelow } from '../../util/path-places.ts';
import { entriesIn } from '../../util/read-file.ts';

// Entries that git itself keeps in a common folder, by gitrepository-layout(5), or leaves while it works. Submodules'
// own folders, hooks of the person and large files are git's, too, but no agent's git needs them.
const entriesOfGit = new Set([
  'HEAD',
  'config',
  'config.worktree',
  'description',
  'info',
  'objects',
  'refs',
  'packed-refs',
  'logs',
  'shallow',
  'worktrees',
  'reftable',
  'index',
  'blueflame',
  'branches',
  'remotes',
  'sequencer',
]);
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
export function listForeignToGit(commonDir: string): readonly string[] {
  const own = entriesIn(commonDir).filter(({ name }) => !entriesOfGit.has(name) && !passingOfGit.test(name));
  const info = entriesIn(join(commonDir, 'info')).filter(
    ({ name }) => !entriesOfInfo.has(name) && !name.endsWith('.lock'),
  );
  return [...pathsOf(commonDir, own), ...pathsOf(join(commonDir, 'info'), info)];
}

/** Lists files beside programs of a home, in their folders and right above: keys, and settings with tokens. */
export function listBesidePrograms(folders: readonly string[], homes: readonly string[]): readonly string[] {
  const ofHomes = folders.filter((folder) => homes.some((home) => home !== '/' && isBelow(folder, home)));
  const above = ofHomes
    .filter((folder) => ['bin', 'shims'].includes(basename(folder)))
    .map((folder) => dirname(folder));
  return [...new Set([...ofHomes, ...above])].flatMap((folder) =>
    pathsOf(folder, entriesIn(folder).filter(isForeign)),
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
  return entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map(({ name }) => join(folder, name));
}
