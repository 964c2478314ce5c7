import { lstat, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolders } from './open-folders.ts';
import { isMissing } from './read-file.ts';

const entriesAtOnce = 1_000;

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
    openFolders(path);
    await rm(path, { recursive: true, force: true });
  }
}

/** With no question the listing has answered already: half the system calls of `rm`. */
async function removeFolder(path: string, signal: AbortSignal | undefined): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true });
  // So many at once: one folder may hold a million.
  for (let first = 0; first < entries.length; first += entriesAtOnce) {
    signal?.throwIfAborted();
    // A failure leaves something in the folder, which then can't go.
    await Promise.allSettled(
      entries.slice(first, first + entriesAtOnce).map((entry) => {
        const child = join(path, entry.name);
        return entry.isDirectory() ? removeFolder(child, signal) : unlink(child);
      }),
    );
  }
  await rmdir(path);
}

function ifAbsent(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
