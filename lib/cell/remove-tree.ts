import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Removes a folder an agent could write: it may have taken the permissions from its own folders. What still
 * can't be removed is left for cleanup. Throws nothing.
 */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openFolders(path);
    attempt(() => rmSync(path, { recursive: true, force: true }));
  }
}

function openFolders(folder: string): void {
  attempt(() => chmodSync(folder, 0o700));
  attempt(() => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) openFolders(join(folder, entry.name));
    }
  });
}

function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // The next step finds out.
  }
}
