import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { killPoint } from '../../util/kill-point.ts';
import { readProcessStart } from '../../util/process-identity.ts';
import { isMissingFileError } from '../../util/read-file.ts';
import { type GitConfigReader, readRepositorySettings } from '../process/git-settings.ts';
import { type GitContext, runGit } from '../process/run-git.ts';
import { objectHeader, type UnwrittenObject } from './make-object.ts';

/** How files of objects are written, as the repository's configuration says it. */
export interface ObjectWriteSettings {
  /** Whether each object is flushed to the disk, from core.fsync. */
  readonly isSynced: boolean;
  /** zlib level, from core.looseCompression. */
  readonly level: number;
  /** Permission bits that core.sharedRepository adds: 0o660 for a group, 0o664 for all. */
  readonly sharedBits: number;
}

/** git's own defaults: fastest compression, no loose object flushed, permissions from the umask. */
export const defaultObjectWriteSettings: ObjectWriteSettings = {
  isSynced: false,
  level: 1,
  sharedBits: 0,
};

/** git's own prune takes such names for leftovers of a killed writer; the pid that follows lets the next start do so at once. */
const temporaryPrefix = 'tmp_obj_flame_';

// Each thread of a process has its own.
const ownNames = randomBytes(6).toString('hex');
let placed = 0;

/** Removes unfinished objects of processes that are gone; returns how many. */
export function removeUnfinishedObjects(objectsDir: string): number {
  let removed = 0;
  for (const folder of readdirSync(objectsDir).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of readdirSync(join(objectsDir, folder))) {
      if (!name.startsWith(temporaryPrefix)) continue;
      if (readProcessStart(Number.parseInt(name.slice(temporaryPrefix.length), 10)) !== null) continue;
      rmSync(join(objectsDir, folder, name), { force: true });
      removed += 1;
    }
  }
  return removed;
}

/**
 * Writes an object into `<objects>/xx/…`: it's there whole or not at all. One that exists as a loose object gets
 * a new modification time instead, as git does, or a prune that runs now could take it away unreferenced.
 */
export function writeLooseObject(
  objectsDir: string,
  object: UnwrittenObject,
  settings: ObjectWriteSettings = defaultObjectWriteSettings,
): void {
  const path = join(objectsDir, object.oid.slice(0, 2), object.oid.slice(2));
  if (freshen(path)) return;
  const whole = Buffer.concat([objectHeader(object.type, object.bytes), object.bytes]);
  // Room for all of it at once: zlib otherwise takes 16 kB for each of many small ones.
  const packed = deflateSync(whole, { level: settings.level, chunkSize: whole.length + 64 });
  placeObjectFile(path, packed, settings);
}

function freshen(path: string): boolean {
  // Most are new, and an error is dear to make.
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return false;
  const now = new Date();
  try {
    utimesSync(path, now, now);
    return true;
  } catch {
    // Absent, packed, in an alternate, or another user's: written once more, which is never wrong.
    return false;
  }
}

/** Puts a file below the objects: it's there whole or not at all. */
function placeObjectFile(path: string, bytes: Uint8Array, { isSynced, sharedBits }: ObjectWriteSettings): void {
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
    if (!isMissingFileError(error)) throw error;
    mkdirSync(dirname(path), { recursive: true });
    if (sharedBits !== 0) chmodSync(dirname(path), 0o2711 | sharedBits);
    return openSync(path, 'wx', 0o444);
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

/** Reads the repository's settings for writing objects, as git itself would follow them. */
export async function readObjectWriteSettings(
  { env }: Pick<GitContext, 'env'>,
  commonDir: string,
): Promise<ObjectWriteSettings> {
  return parseObjectWriteSettings(await readRepositorySettings(env, commonDir));
}

/** Reads them from settings that are at hand. */
export function parseObjectWriteSettings(settings: GitConfigReader): ObjectWriteSettings {
  const level = Number(settings.value('core.loosecompression') ?? settings.value('core.compression') ?? '1');
  const components = settings.value('core.fsync') ?? '';
  return {
    isSynced: isSynced(components) || settings.isTrue('core.fsyncobjectfiles'),
    level: Number.isInteger(level) && level >= -1 && level <= 9 ? level : defaultObjectWriteSettings.level,
    sharedBits: sharedBits(settings.value('core.sharedrepository') ?? 'umask'),
  };
}

function isSynced(components: string): boolean {
  const covers = ['loose-object', 'objects', 'committed', 'added', 'all'];
  return components.split(/[\s,]+/).some((name) => covers.includes(name));
}

function sharedBits(value: string): number {
  if (/^(?:group|true|yes|on|1)$/i.test(value)) return 0o660;
  if (/^(?:all|world|everybody|2)$/i.test(value)) return 0o664;
  return /^0[0-7]{3}$/.test(value) ? Number.parseInt(value, 8) & 0o666 : 0;
}

/** Well below the 6,700 at which the person's next git command would start a gc of its own. */
const manyLooseObjects = 2_000;
/** Below the 50 packs at which that gc starts; each large change makes one. */
const manyPacks = 40;

/**
 * Packs loose objects once there are many, and small packs: state changes leave about four objects each. Other writers
 * may continue meanwhile, since `git repack -d` removes only what it has packed.
 */
export async function repackLoose(context: GitContext, commonDir: string): Promise<void> {
  const packs = await readdir(join(commonDir, 'objects', 'pack')).catch(() => []);
  if (packs.filter((name) => name.endsWith('.pack')).length >= manyPacks) {
    // The small ones become one, with what is loose; large ones stay as they are.
    await runGit(context, ['repack', '-d', '-l', '-q', '--geometric=2'], { accept: [0, 1, 128] });
    return;
  }
  // One of 256 folders serves as the sample for all, as git itself estimates.
  const sample = await readdir(join(commonDir, 'objects', '17')).catch(() => []);
  if (sample.length * 256 < manyLooseObjects) return;
  await runGit(context, ['repack', '-d', '-l', '-q'], { accept: [0, 1, 128] });
}
