import { chmodSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from './attempt.ts';

// Well below what a system call takes, so that one more name always fits.
const longestPath = 2_000;

/**
 * Makes a tree that another program wrote fit to be removed: folders without permissions get them back, and
 * folders nested deeper than a path can be long are moved up to `root`. Never throws.
 */
export function openFolders(root: string): void {
  const waiting = [root];
  let moved = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const from = folder;
    let place = from;
    if (from.length > root.length + longestPath) {
      moved += 1;
      place = join(root, `.flame-moved-${process.pid}-${moved}`);
      attempt(() => renameSync(from, place));
    }
    attempt(() => chmodSync(place, 0o700));
    attempt(() => {
      for (const entry of readdirSync(place, { withFileTypes: true }))
        if (entry.isDirectory()) waiting.push(join(place, entry.name));
    });
  }
}
