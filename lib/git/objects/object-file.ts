import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { killPoint } from '../../util/kill-point.ts';
import { isMissing } from '../../util/read-file.ts';

/** How files of objects are written, as the repository's configuration says it. */
export interface ObjectSettings {
  /** Whether each loose object is flushed to the disk, from core.fsync. */
  readonly isSynced: boolean;
  /** The same of packs. */
  readonly isPackSynced: boolean;
  /** zlib level, from core.looseCompression. */
  readonly level: number;
  /** Permission bits that core.sharedRepository adds: 0o660 for a group, 0o664 for all. */
  readonly sharedBits: number;
}

/** git's own defaults: fastest compression, packs flushed but no loose objects, permissions from the umask. */
export const defaultObjectSettings: ObjectSettings = {
  isSynced: false,
  isPackSynced: true,
  level: 1,
  sharedBits: 0,
};

/** git's own prune takes such names for leftovers of a killed writer; the pid that follows lets the next start do so at once. */
export const temporaryPrefix = 'tmp_obj_flame_';

// Each thread of a process has its own.
const ownNames = randomBytes(6).toString('hex');
let placed = 0;

/** Puts a file below the objects: it's there whole or not at all. */
export function placeObjectFile(
  path: string,
  bytes: Uint8Array,
  { isSynced, sharedBits }: Pick<ObjectSettings, 'isSynced' | 'sharedBits'>,
): void {
  placed += 1;
  const temporary = join(dirname(path), `${temporaryPrefix}${process.pid}_${ownNames}${placed}`);
  const file = openInFolder(temporary, sharedBits);
  try {
    writeAll(file, bytes);
    if (sharedBits !== 0) fchmodSync(file, 0o444 | (sharedBits & 0o444));
    if (isSynced) fsyncSync(file);
  } catch (error) {
    // A full disk must not be filled further.
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  killPoint('object written');
  renameSync(temporary, path);
}

function openInFolder(path: string, sharedBits: number): number {
  try {
    return openSync(path, 'wx', 0o444);
  } catch (error) {
    if (!isMissing(error)) throw error;
    mkdirSync(dirname(path), { recursive: true });
    if (sharedBits !== 0) chmodSync(dirname(path), 0o2711 | sharedBits);
    return openSync(path, 'wx', 0o444);
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}
