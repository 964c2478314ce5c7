import { chmodSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { listEntriesIn } from './read-file.ts';

const setIdBits = 0o6000;
const entriesAtOnce = 2_000;
/** No tree of more can come of an agent that is held by its limits. */
const mostEntries = 5_000_000;

/**
 * Takes from every file below the folders what would let it run as its owner or group for anybody who starts it.
 * Links are not followed; the bit of a folder says no more than the group of what is made in it. Throws nothing.
 */
export async function dropSetIdBitsBelow(folders: readonly string[], most = mostEntries): Promise<void> {
  const waiting = [...folders];
  let seen = 0;
  for (let folder = waiting.pop(); folder !== undefined && seen < most; folder = waiting.pop()) {
    // Where it can't be read, no process can start what is in it either.
    for (const entry of listEntriesIn(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile()) dropSetIdBitsOfFile(path);
      seen += 1;
      if (seen % entriesAtOnce === 0) await pause();
    }
  }
}

/** Drops the set-id bits of one file; ignores anything but a regular file of this user. */
export function dropSetIdBitsOfFile(path: string): void {
  try {
    const facts = lstatSync(path);
    const isOurs = process.getuid === undefined || facts.uid === process.getuid();
    if (isOurs && facts.isFile() && (facts.mode & setIdBits) !== 0) chmodSync(path, facts.mode & 0o1777);
  } catch {
    // It is gone, or can't be reached.
  }
}
