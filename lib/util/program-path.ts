import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** The absolute path of a program in PATH; the name alone where there is none, so that starting it fails as usual. */
export function programPath(name: string, searchPath: string | undefined): string {
  const folders = (searchPath ?? '').split(':').filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? name;
}

/** Whether there is a file that this user may run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
