import { chmodSync, lstatSync, opendirSync, readdirSync, renameSync, unlinkSync } from 'node:fs';
import { lstat, rm, rmdir, unlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { isMissingFileError } from './read-file.ts';

// Others wait meanwhile: agents ask for decisions, people for their view.
const entriesAtOnce = 200;
// The system frees what a larger file took block by block.
const smallBytes = 1024 * 1024;

/**
 * Removes a folder with everything in it, or a file; links are not followed. What takes long happens off the main thread. An agent may have
 * taken away its own right to read or change a folder, or nested folders too deep: that is undone. Nothing there:
 * nothing done. Throws what the system says where it can't be removed, and the signal's reason once that aborted: what
 * is left then goes by doing it again.
 */
export async function removeTree(path: string, signal?: AbortSignal): Promise<void> {
  try {
    const facts = await lstat(path).catch(ifAbsent);
    if (facts === null) return;
    await (facts.isDirectory() ? removeFolder(path, signal) : unlink(path));
  } catch {
    signal?.throwIfAborted();
    makeTreeRemovable(path);
    await rm(path, { recursive: true, force: true });
  }
}

/** Small files at once: to have another thread remove one takes longer than that. A failure leaves its folder, too. */
async function removeFolder(path: string, signal: AbortSignal | undefined): Promise<void> {
  const folders = [path];
  let done = 0;
  const rest = async (): Promise<void> => {
    done += 1;
    if (done % entriesAtOnce !== 0) return;
    await pause();
    signal?.throwIfAborted();
  };
  for (let at = 0; at < folders.length; at += 1) {
    const folder = folders[at] ?? path;
    // A part at a time: it may hold a million.
    const listing = opendirSync(folder, { bufferSize: entriesAtOnce });
    try {
      for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
        const child = join(folder, entry.name);
        if (entry.isDirectory()) folders.push(child);
        else if (lstatSync(child).size <= smallBytes) unlinkSync(child);
        else await unlink(child);
        await rest();
      }
    } finally {
      listing.closeSync();
    }
  }
  await removeEmpty(folders, signal);
}

/**
 * Each before the one that holds it, those of one depth together: to free what a folder took, some file systems wait for
 * the disk. `folders` are in the order of their depths.
 */
async function removeEmpty(folders: readonly string[], signal: AbortSignal | undefined): Promise<void> {
  const depthAt = (index: number): number => (folders[index] ?? '').split(sep).length;
  for (let [end, from] = [folders.length, 0]; end > 0; end = from) {
    const depth = depthAt(end - 1);
    for (from = end - 1; from > 0 && end - from < entriesAtOnce && depthAt(from - 1) === depth; ) from -= 1;
    const ends = await Promise.allSettled(folders.slice(from, end).map((folder) => rmdir(folder)));
    const failed = ends.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    signal?.throwIfAborted();
  }
}

function ifAbsent(error: unknown): null {
  if (isMissingFileError(error)) return null;
  throw error;
}

// Well below what a system call takes, so that one more name always fits.
const longestPath = 2_000;

/**
 * Makes a tree that another program wrote fit to be removed: folders without permissions get them back, and
 * folders nested deeper than a path can be long are moved up to `root`. Never throws.
 */
export function makeTreeRemovable(root: string): void {
  const waiting = [root];
  let moved = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const from = folder;
    let place = from;
    if (from.length > root.length + longestPath) {
      moved += 1;
      place = join(root, `.flame-moved-${process.pid}-${moved}`);
      tryQuietly(() => renameSync(from, place));
    }
    tryQuietly(() => chmodSync(place, 0o700));
    tryQuietly(() => {
      for (const entry of readdirSync(place, { withFileTypes: true }))
        if (entry.isDirectory()) waiting.push(join(place, entry.name));
    });
  }
}

/** Does what may fail without harm; whether it worked. */
export function tryQuietly(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
