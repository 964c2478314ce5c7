import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Files and folders of /proc through which the whole machine can be set: all that is no process, no link, and not
 * a file for reading only. Empty where there is no /proc.
 */
export function listKernelEntries(): readonly string[] {
  try {
    return readdirSync('/proc')
      .filter((name) => !/^\d+$/.test(name))
      .map((name) => join('/proc', name))
      .filter(isSettable);
  } catch {
    return [];
  }
}

function isSettable(path: string): boolean {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  return facts?.isDirectory() === true || (facts?.isFile() === true && (facts.mode & 0o222) !== 0);
}
