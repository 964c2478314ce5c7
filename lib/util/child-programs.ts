import type { ChildProcess } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import type { Socket } from 'node:net';
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

/**
 * Throws where a child has no pipes because no descriptor was left: it never began. node reports that by an event
 * alone, which ends the program where nothing listens for it.
 */
export function requirePipes(child: ChildProcess): void {
  if ((child.stdio as ChildProcess['stdio'] | undefined) !== undefined) return;
  child.once('error', () => undefined);
  throw Object.assign(new Error('too many files are open'), { code: 'EMFILE' });
}

/** Whether this process stays for as long as that one lives, or its pipes are open. */
export function holdProcessWhileChildRuns(child: ChildProcess, isHeld: boolean): void {
  const change = isHeld ? 'ref' : 'unref';
  child[change]();
  // The pipes of a child are sockets, although they are declared as streams.
  for (const pipe of child.stdio as readonly (Socket | null | undefined)[]) pipe?.[change]();
}
