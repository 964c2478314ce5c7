import { createHash, hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import type { ObjectId } from '../../domain/ids.ts';

export type ObjectHashFormat = 'sha1' | 'sha256';
export type ObjectType = 'blob' | 'tree' | 'commit';

/** An object that's named but not yet written. */
export interface UnwrittenObject {
  readonly oid: ObjectId;
  readonly type: ObjectType;
  readonly bytes: Uint8Array;
}

/** Names an object as git does. */
export function makeUnwrittenObject(
  format: ObjectHashFormat,
  type: ObjectType,
  content: string | Uint8Array,
): UnwrittenObject {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return { oid: nameOf(format, type, bytes), type, bytes };
}

/** The name alone of a blob with a text. */
export function computeBlobIdOfText(format: ObjectHashFormat, text: string): ObjectId {
  return hash(format, `blob ${Buffer.byteLength(text)}\0${text}`) as ObjectId;
}

/** Builds the header of an object, which is part of its name and of its file. */
export function objectHeader(type: ObjectType, bytes: Uint8Array): Buffer {
  return Buffer.from(`${type} ${bytes.length}\0`, 'latin1');
}

function nameOf(format: ObjectHashFormat, type: ObjectType, bytes: Uint8Array): ObjectId {
  return createHash(format).update(objectHeader(type, bytes)).update(bytes).digest('hex') as ObjectId;
}

const typeNumbers = { commit: 1, tree: 2, blob: 3 } as const;
// Agents are being read from meanwhile.
const atOnce = 500;

/** The pack of some objects, each whole: a delta would save little of notes, and no time. See gitformat-pack(5). */
export async function makePack(format: ObjectHashFormat, objects: readonly UnwrittenObject[]): Promise<Buffer> {
  const head = Buffer.alloc(12);
  head.write('PACK', 0, 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const parts: Buffer[] = [head];
  for (const [at, { type, bytes }] of objects.entries()) {
    parts.push(entryHeader(typeNumbers[type], bytes.length));
    parts.push(deflateSync(bytes, { level: 1, chunkSize: bytes.length + 64 }));
    if (at % atOnce === atOnce - 1) await turn();
  }
  const content = Buffer.concat(parts);
  return Buffer.concat([content, createHash(format).update(content).digest()]);
}

/** Type and size: four bits of the size in the first byte, seven in each that follows. */
function entryHeader(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}
