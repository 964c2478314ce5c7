import { readFileSync } from 'node:fs';

/**
 * Whether the terminal is ours to change: a job in the background that tries is stopped by the system. True where
 * that can't be known.
 */
export function isForeground(): boolean {
  try {
    // pid (name) state parent group session terminal foreground-group …; the name may hold anything.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const [, , group, , , foreground] = fields;
    return group === foreground || foreground === '-1';
  } catch {
    return true;
  }
}
