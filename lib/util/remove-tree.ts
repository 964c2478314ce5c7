import { chmodSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { lstat, opendir, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissingFileError } from './read-file.ts';

const filesAtOnce = 200;

/**
 * Removes a folder with everything in it, or a file, off the main thread; links are not followed. An agent may have
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

/** A failure leaves its folder, too. */
async function removeFolder(path: string, signal: AbortSignal | undefined): Promise<void> {
  const folders: string[] = [];
  const files: string[] = [];
  const removeFiles = (): Promise<unknown> => Promise.all(files.splice(0).map((file) => unlink(file)));
  // A part at a time: it may hold a million.
  for await (const entry of await opendir(path, { bufferSize: filesAtOnce })) {
    (entry.isDirectory() ? folders : files).push(join(path, entry.name));
    if (files.length < filesAtOnce) continue;
    await removeFiles();
    signal?.throwIfAborted();
  }
  await removeFiles();
  for (const folder of folders) await removeFolder(folder, signal);
  signal?.throwIfAborted();
  await rmdir(path);
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

/** Removes the folder `shop.trees` that a worktree was in once that is empty; another may be the person's own. */
export function removeEmptyTrees(worktree: string): void {
  const folder = dirname(worktree);
  if (folder.endsWith('.trees')) tryQuietly(() => rmdirSync(folder));
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
