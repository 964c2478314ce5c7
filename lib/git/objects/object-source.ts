import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, inflate, inflateSync } from 'node:zlib';
import type { ObjectId } from '../../domain/ids.ts';
import { missingObjectError } from '../../domain/input-errors.ts';
import { isMissingFileError } from '../../util/read-file.ts';
import { type GitRunLimits, requireNotStopped } from '../process/limit-git-runs.ts';

/** Where objects are read by their ids, without starting a git for each. */
export interface ObjectSource {
  /** null where there's no such object. */
  info(oid: ObjectId): Promise<{ readonly type: string; readonly size: number } | null>;
  read(oid: ObjectId): Promise<{ readonly type: string; readonly bytes: Buffer } | null>;
}

interface VerifiedBy {
  /** The repository's. */
  readonly objects: ObjectSource;
  readonly guard: GitRunLimits;
}

/** The verified objects of a cell (loose, and written by the tool alone: see verify-objects.ts), else the repository's. */
export function openVerifiedObjects({ objects, guard }: VerifiedBy, intake: string): ObjectSource {
  return {
    info: async (oid) => {
      requireNotStopped(guard);
      return readLooseObjectInfo(intake, oid) ?? objects.info(oid);
    },
    read: async (oid) => {
      requireNotStopped(guard);
      return (await readLooseObjectInThread(intake, oid)) ?? objects.read(oid);
    },
  };
}

/** An object that must be there. Throws FlameError `object-missing`. */
export async function requireObject<T>(oid: ObjectId, reading: Promise<T | null>): Promise<T> {
  const object = await reading;
  if (object !== null) return object;
  throw missingObjectError(`Object ${oid} is not in the repository.`);
}

const smallObject = 128 * 1024;

/** A loose object of a folder, whole; null if it's not there. */
export function readLooseObject(
  objectDir: string,
  oid: string,
): { readonly type: string; readonly bytes: Buffer } | null {
  const file = ifThere(() => readFileSync(looseObjectPath(objectDir, oid)));
  if (file === null) return null;
  return splitObject(inflateSync(file));
}

function splitObject(object: Buffer): { readonly type: string; readonly bytes: Buffer } {
  const end = object.indexOf(0);
  const [type = ''] = object.toString('latin1', 0, end).split(' ');
  return { type, bytes: object.subarray(end + 1) };
}

/** Reads a loose object as readLooseObject does, without holding up other work: a large one by another thread. */
export async function readLooseObjectInThread(
  objectDir: string,
  oid: string,
): Promise<{ readonly type: string; readonly bytes: Buffer } | null> {
  const start = readStart(looseObjectPath(objectDir, oid));
  if (start === null) return null;
  // All of it, which can't be more than a thousand times as much.
  if (start.length < startLength) return splitObject(inflateSync(start));
  if (headOf(start).size < smallObject) return readLooseObject(objectDir, oid);
  return splitObject(await promisify(inflate)(await readFile(looseObjectPath(objectDir, oid))));
}

/** Reads type and size of a loose object, without reading all of it; null if it's not there. */
export function readLooseObjectInfo(
  objectDir: string,
  oid: string,
): { readonly type: string; readonly size: number } | null {
  const start = readStart(looseObjectPath(objectDir, oid));
  return start === null ? null : headOf(start);
}

function headOf(start: Buffer): { readonly type: string; readonly size: number } {
  const object = inflateSync(start, { finishFlush: constants.Z_SYNC_FLUSH });
  const [type = '', size] = object.toString('latin1', 0, object.indexOf(0)).split(' ');
  return { type, size: Number(size) };
}

export function looseObjectPath(objectDir: string, oid: string): string {
  return join(objectDir, oid.slice(0, 2), oid.slice(2));
}

// More than the code tables zlib begins with, and the header after them.
const startLength = 512;

/** null: it's not there, as most are that are looked for in an agent's own folder first. An error is dear to make. */
function readStart(path: string): Buffer | null {
  const file = existsSync(path) ? ifThere(() => openSync(path, 'r')) : null;
  if (file === null) return null;
  try {
    const start = Buffer.alloc(startLength);
    return start.subarray(0, readSync(file, start));
  } finally {
    closeSync(file);
  }
}

function ifThere<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (isMissingFileError(error)) return null;
    throw error;
  }
}
