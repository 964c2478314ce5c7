import { type Dirent, lstatSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MachinePort } from '../../engine/run-context.ts';
import { fileStamp, readPlainText } from '../../util/read-file.ts';
import { compareText } from '../../util/sort-and-group.ts';

const largest = 16 * 1024 * 1024;
const mostBytes = 64 * 1024 * 1024;
const mostEntries = 200_000;
const longestPath = 500;

/** See MachinePort. A file that is too large, or of which a folder or itself is a link, is left out. */
export const trackFiles: MachinePort['trackFiles'] = async ({ worktree, matches }) => {
  const known = new Map<string, string>();
  for await (const { path, stamp } of findFiles(worktree, matches)) known.set(path, stamp);
  return {
    async *readNew() {
      let bytesLeft = mostBytes;
      for await (const { path, stamp } of findFiles(worktree, matches)) {
        if (known.get(path) === stamp) continue;
        known.set(path, stamp);
        const { size = 0 } = lstatSync(join(worktree, path), { throwIfNoEntry: false }) ?? {};
        if (size > Math.min(largest, bytesLeft)) continue;
        bytesLeft -= size;
        yield { path, text: readPlainText(path, { most: size, root: worktree }) };
      }
    },
  };
};

async function* findFiles(
  worktree: string,
  matches: (name: string) => boolean,
): AsyncIterable<{ readonly path: string; readonly stamp: string }> {
  const folders = [''];
  let entriesLeft = mostEntries;
  // The list grows while it is read: folders nearer to the root come first.
  for (const folder of folders) {
    const entries = await listEntries(join(worktree, folder), entriesLeft);
    entriesLeft -= entries.length;
    for (const entry of entries) {
      const path = `${folder}${entry.name}`;
      if (path.length > longestPath) continue;
      if (entry.isDirectory() && isOwn(entry.name)) folders.push(`${path}/`);
      if (!entry.isFile() || !matches(entry.name)) continue;
      yield { path, stamp: fileStamp(join(worktree, path)) };
    }
  }
}

/** In the order of their names; what can't be read is empty. */
async function listEntries(folder: string, most: number): Promise<readonly Dirent[]> {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(folder, { bufferSize: 1_000 })) {
      if (entries.length >= most) break;
      entries.push(entry);
    }
  } catch {
    // It is gone, or was replaced.
  }
  return entries.sort((a, b) => compareText(a.name, b.name));
}

function isOwn(name: string): boolean {
  return name !== 'node_modules' && !name.startsWith('.');
}
