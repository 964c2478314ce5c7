import { lstatSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { isMissingFileError, listNamesIn } from '../../util/read-file.ts';

export interface DiskWatch {
  /** Whether the cell was seen to have written too much; asked once a second, measures again when that is due. */
  isFull(): boolean;
  /** Resolves when the measurement in progress, if any, has ended. */
  looked(): Promise<void>;
}

interface WatchedDisk {
  /** All that can be written in the cell. */
  readonly folders: readonly string[];
  readonly limitBytes: number;
  /** Its processes now. */
  pids(): readonly number[];
}

// Looking at many files takes its time. What fills a disk is seen by what is free there; the rest is looked at now and
// then, for the two hundredth part of the time at most.
const restFactor = 200;
const leastRestMs = 30_000;

/** Counts from what is there now: files that a checkout brought don't count. */
export function watchDisk({ folders, limitBytes, pids }: WatchedDisk): DiskWatch {
  const disks = onePerDisk(folders);
  const free = (): number => freeBytes(disks);
  const freeAtFirst = free();
  let before: number | null = null;
  let grown = 0;
  let freeThen = freeAtFirst;
  let measuring: Promise<void> | null = null;
  let due = 0;
  const take = ({ bytes, isWhole }: DiskUsage): void => {
    before ??= bytes;
    grown = bytes - before;
    // Files that hide from being counted are on the same disk all the same.
    if (!isWhole) grown = Math.max(grown, freeAtFirst - freeThen);
  };
  const measure = async (running: readonly number[]): Promise<void> => {
    const began = performance.now();
    freeThen = free();
    take(await measureDisk(folders, running));
    const now = performance.now();
    due = now + Math.max((now - began) * restFactor, leastRestMs);
    measuring = null;
  };
  // A cell that has only just started has no files open that were removed.
  measuring = measure([]);
  return {
    isFull: () => {
      const isFilling = freeThen - free() > (limitBytes - grown) / 2;
      if (isFilling || performance.now() >= due) measuring ??= measure(pids());
      return grown > limitBytes;
    },
    looked: async () => {
      await measuring;
    },
  };
}

interface DiskUsage {
  readonly bytes: number;
  /** Whether all of it could be looked at; names beyond the system's longest path can't. */
  readonly isWhole: boolean;
}

// Empty files fill a file system, too.
const leastBytes = 4_096;
const entriesAtOnce = 500;
const smallFolder = 65_536;
// A name need not be text.
const asBytes = { encoding: 'buffer' } as const;

/** Measures folders on disk, and files that were removed but are still open in these processes. */
async function measureDisk(folders: readonly string[], pids: readonly number[]): Promise<DiskUsage> {
  let bytes = openRemoved(pids);
  let isWhole = true;
  let seen = 0;
  const waiting = folders.map((folder) => Buffer.from(folder));
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const names = await namesIn(folder);
    isWhole &&= names !== null;
    for (const name of names ?? []) {
      const path = Buffer.concat([folder, Buffer.from('/'), name]);
      const found = lookAt(path);
      if (found?.isFolder === true) waiting.push(path);
      isWhole &&= found !== null;
      bytes += found?.bytes ?? 0;
      seen += 1;
      if (seen % entriesAtOnce === 0) await setImmediate();
    }
  }
  return { bytes, isWhole };
}

/** Picks one of the folders on each file system; one that is not there is left out. */
function onePerDisk(folders: readonly string[]): readonly string[] {
  const found = new Map<number, string>();
  for (const folder of folders) {
    const dev = statSync(folder, { throwIfNoEntry: false })?.dev;
    if (dev !== undefined) found.set(dev, folder);
  }
  return [...found.values()];
}

/** Sums the free bytes of file systems, counted as measureDisk does; skips those where that can't be determined. */
function freeBytes(folders: readonly string[]): number {
  return folders.reduce((sum, folder) => {
    try {
      const { bavail, bsize, ffree } = statfsSync(folder);
      return sum + bavail * bsize + ffree * leastBytes;
    } catch {
      return sum;
    }
  }, 0);
}

/** An empty list for a folder that is gone meanwhile; null for one that exists and can't be read. */
async function namesIn(folder: Buffer): Promise<readonly Buffer[] | null> {
  try {
    // To have another thread read a small one takes longer than that.
    const isSmall = statSync(folder).size <= smallFolder;
    return isSmall ? readdirSync(folder, asBytes) : await readdir(folder, asBytes);
  } catch (error) {
    return isMissingFileError(error) ? [] : null;
  }
}

function lookAt(path: Buffer): { readonly bytes: number; readonly isFolder: boolean } | null {
  try {
    const stats = lstatSync(path);
    return { bytes: Math.max(stats.blocks * 512, leastBytes), isFolder: stats.isDirectory() };
  } catch (error) {
    return isMissingFileError(error) ? { bytes: 0, isFolder: false } : null;
  }
}

function openRemoved(pids: readonly number[]): number {
  const files = new Map<string, number>();
  for (const pid of pids) {
    for (const descriptor of listNamesIn(`/proc/${pid}/fd`)) {
      try {
        const { nlink, blocks, dev, ino, ...stats } = statSync(`/proc/${pid}/fd/${descriptor}`);
        if (nlink === 0 && (stats.mode & 0o170000) === 0o100000) files.set(`${dev} ${ino}`, blocks * 512);
      } catch {
        // Closed meanwhile.
      }
    }
  }
  return [...files.values()].reduce((sum, bytes) => sum + bytes, 0);
}
