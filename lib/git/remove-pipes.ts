import type { Dirent } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

// Files of a work tree that git opens to read them. Opening a pipe waits for a writer who never comes.
const readByGit = new Set(['.gitignore', '.gitattributes', '.gitmodules', '.mailmap']);

/** Removes pipes, sockets and devices under names that git would open in a work tree; they hold nothing. */
export async function removePipes(workTree: string): Promise<void> {
  const waiting = [workTree];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of await entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if (isPipe(entry)) await rm(path, { force: true }).catch(() => undefined);
    }
  }
}

function isPipe(entry: Dirent): boolean {
  return readByGit.has(entry.name) && !entry.isFile() && !entry.isSymbolicLink();
}

/** Nothing where it can't be read: git can't go there either. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
