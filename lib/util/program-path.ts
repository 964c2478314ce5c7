import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

const known = new Map<string, string>();

/**
 * The absolute path of a program in PATH: looked up once, where the system would look in each folder at every
 * start. The name alone where there's none, so that starting it fails as usual.
 */
export function programPath(name: string, searchPath: string | undefined): string {
  const key = `${name}:${searchPath ?? ''}`;
  const last = known.get(key);
  if (last !== undefined && isExecutable(last)) return last;
  const folders = (searchPath ?? '').split(':').filter(isAbsolute);
  const path = folders.map((folder) => join(folder, name)).find(isExecutable);
  if (path === undefined) return name;
  known.set(key, path);
  return path;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
