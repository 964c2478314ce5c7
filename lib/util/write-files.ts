import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Puts a whole file where one may be, in one step. A link that stands there is replaced, not followed. */
export function replaceFile(file: string, content: string | Uint8Array, mode = 0o666): void {
  const fresh = `${file}.flame-new`;
  rmSync(fresh, { force: true, recursive: true });
  writeFileSync(fresh, content, { flag: 'wx', mode });
  renameSync(fresh, file);
}

/**
 * Makes a folder and those above it that are missing. Node's own `recursive` never comes back where a system
 * refuses a folder by ENOENT although the one above is there, as /proc does. `mode` is that of folders it makes. Throws the system's error.
 */
export function makeFolders(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let at = path; statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) missing.push(at);
  for (const folder of missing.reverse()) makeFolder(folder, mode);
}

function makeFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process was as quick.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

const words: Readonly<Record<string, string>> = {
  ENOENT: "it doesn't exist",
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links lead in a circle',
  ENOSPC: 'the disk is full',
};

/** Why a file couldn't be read or written, for a person to read. */
export function describeFileError({ code, message }: NodeJS.ErrnoException): string {
  return words[code ?? ''] ?? message;
}
