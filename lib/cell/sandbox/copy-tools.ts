import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Copies what runs beside agents into a folder. The program's own may be replaced
 * while agents run, by an update: a watcher that is an empty file for a moment would let a call through, since a
 * shell runs an empty file and finds nothing wrong.
 */
export function copyTools(distDir: string, folder: string, names: readonly string[]): void {
  for (const name of names) {
    copyFileSync(join(distDir, name), join(folder, name));
    chmodSync(join(folder, name), 0o500);
  }
}
