import { rmSync } from 'node:fs';
import { attempt, openFolders } from '../util/remove-tree.ts';

/**
 * Removes a folder an agent could write: it may have taken the permissions from its own folders, or nested
 * them too deep. What still can't be removed is left for cleanup. Throws nothing.
 */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openFolders(path);
    attempt(() => rmSync(path, { recursive: true, force: true }));
  }
}
