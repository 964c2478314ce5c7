import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let found: string | undefined;

/** The folder of this package, source checkout or installation: where templates and hooks are. */
export function packageRoot(): string {
  found ??= findUp(dirname(fileURLToPath(import.meta.url)));
  return found;
}

function findUp(folder: string): string {
  if (isPackage(folder)) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('Internal error: package.json of git-flame was not found');
  return findUp(parent);
}

function isPackage(folder: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return (
      typeof manifest === 'object' && manifest !== null && 'name' in manifest && manifest.name === 'git-flame'
    );
  } catch {
    return false;
  }
}
