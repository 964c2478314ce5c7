import { type DiskUsage, freeBytes, measureDisk, onePerDisk } from './disk-usage.ts';

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
