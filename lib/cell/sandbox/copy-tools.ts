import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunFolder } from '../run-folder.ts';

/**
 * Copies what runs beside an agent into its run folder; returns that folder. The program's own may be replaced
 * while agents run, by an update: a watcher that is an empty file for a moment would let a call through, since a
 * shell runs an empty file and finds nothing wrong.
 */
export function copyTools(distDir: string, { root }: RunFolder, names: readonly string[]): string {
  const folder = join(root, 'tools');
  mkdirSync(folder, { mode: 0o700 });
  for (const name of names) {
    copyFileSync(join(distDir, name), join(folder, name));
    chmodSync(join(folder, name), 0o500);
  }
  return folder;
}
