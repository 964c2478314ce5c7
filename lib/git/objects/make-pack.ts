import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import type { NewObject, ObjectFormat } from './make-object.ts';

/** A pack and the index by which git finds what is in it. */
export interface Pack {
  /** As git names its files, without an ending. */
  readonly name: string;
  readonly pack: Buffer;
  readonly index: Buffer;
}

interface Entry {
  readonly oid: string;
  readonly crc: number;
  readonly offset: number;
}

const typeNumbers = { commit: 1, tree: 2, blob: 3 } as const;
// Agents are being read from meanwhile.
const atOnce = 500;

/** Packs objects, each whole and once: a delta would save little of notes, and no time. */
export async function makePack(
  format: ObjectFormat,
  given: readonly NewObject[],
  level: number,
): Promise<Pack> {
  const objects = [...new Map(given.map((object) => [object.oid, object])).values()];
  const head = Buffer.alloc(12);
  head.write('PACK', 0, 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const parts: Buffer[] = [head];
  const entries: Entry[] = [];
  let offset = head.length;
  for (const [at, { oid, type, bytes }] of objects.entries()) {
    const entry = Buffer.concat([
      entryHeader(typeNumbers[type], bytes.length),
      deflateSync(bytes, { level, chunkSize: bytes.length + 64 }),
    ]);
    entries.push({ oid, crc: crc32(entry), offset });
    parts.push(entry);
    offset += entry.length;
    if (at % atOnce === atOnce - 1) await turn();
  }
  const content = Buffer.concat(parts);
  const sum = sumOf(format, content);
  return {
    name: `pack-${sum.toString('hex')}`,
    pack: Buffer.concat([content, sum]),
    index: makeIndex(format, entries, sum),
  };
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

/** Version 2: how many ids begin with which byte or a lower one, the ids in order, their sums, where each object is. */
function makeIndex(format: ObjectFormat, entries: readonly Entry[], sum: Buffer): Buffer {
  const sorted = [...entries].sort((a, b) => (a.oid < b.oid ? -1 : 1));
  const numbers = (values: readonly number[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 4);
    for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4);
    return bytes;
  };
  const firsts = sorted.map(({ oid }) => Number.parseInt(oid.slice(0, 2), 16));
  let before = 0;
  const fanOut = Array.from({ length: 256 }, (_, first) => {
    while ((firsts[before] ?? 256) <= first) before += 1;
    return before;
  });
  const content = Buffer.concat([
    numbers([0xff744f63, 2]),
    numbers(fanOut),
    Buffer.from(sorted.map(({ oid }) => oid).join(''), 'hex'),
    numbers(sorted.map(({ crc }) => crc)),
    numbers(sorted.map(({ offset }) => offset)),
    sum,
  ]);
  return Buffer.concat([content, sumOf(format, content)]);
}

function sumOf(format: ObjectFormat, bytes: Uint8Array): Buffer {
  return createHash(format).update(bytes).digest();
}
