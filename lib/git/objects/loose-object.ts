import { readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { processStart } from '../../util/process-identity.ts';
import { type NewObject, objectHeader } from './make-object.ts';
import {
  defaultObjectSettings,
  type ObjectSettings,
  placeObjectFile,
  temporaryPrefix,
} from './object-file.ts';

/** Removes unfinished objects of processes that are gone; returns how many. */
export function removeDeadObjects(objectsDir: string): number {
  let removed = 0;
  for (const folder of readdirSync(objectsDir).filter((name) => /^(?:[0-9a-f]{2}|pack)$/.test(name))) {
    for (const name of readdirSync(join(objectsDir, folder))) {
      if (!name.startsWith(temporaryPrefix)) continue;
      if (processStart(Number.parseInt(name.slice(temporaryPrefix.length), 10)) !== null) continue;
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
  object: NewObject,
  settings: ObjectSettings = defaultObjectSettings,
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
