import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { MachinePort } from '../../engine/run-context.ts';
import { listEntriesIn, readPlainText } from '../../util/read-file.ts';

const largest = 16 * 1024 * 1024;
const mostBytes = 64 * 1024 * 1024;
const mostFolders = 5_000;

/** See MachinePort. A file that is too large, or of which a folder or itself is a link, is left out. */
export const readNewFiles: MachinePort['readNewFiles'] = ({ worktree, since, matches }) => {
  const found: { path: string; text: string }[] = [];
  const folders = [''];
  let left = mostBytes;
  // The list grows while it is read: folders nearer to the root come first.
  for (const folder of folders) {
    for (const entry of listEntriesIn(join(worktree, folder))) {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory() && isOwn(entry.name) && folders.length < mostFolders) folders.push(`${path}/`);
      if (!entry.isFile() || !matches(entry.name)) continue;
      const { mtimeMs = 0, size = 0 } = lstatSync(join(worktree, path), { throwIfNoEntry: false }) ?? {};
      if (mtimeMs < since || size > largest || size > left) continue;
      left -= size;
      found.push({ path, text: readPlainText(path, { most: largest, root: worktree }) });
    }
  }
  return found;
};

function isOwn(name: string): boolean {
  return name !== 'node_modules' && !name.startsWith('.');
}
