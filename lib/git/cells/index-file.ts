import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { ObjectId } from '../../domain/ids.ts';
import type { ObjectFormat } from '../objects/make-object.ts';

/** One file of an index. */
export interface IndexEntry {
  /** Bytes as latin1 text. */
  readonly path: string;
  readonly oid: ObjectId;
  /** What git knows of the file on disk, its mode included: gitformat-index(5). */
  readonly stat: Buffer;
}

const hashLengths = { sha1: 20, sha256: 32 } as const;
const headerLength = 12;
const statLength = 40;
const modeAt = 24;
const sizeAt = 36;
const longName = 0xfff;

/**
 * Reads an index of version 2; null for any other one, for one with merged or hidden entries, and for one that is not
 * whole without other files.
 */
export function parseIndex(bytes: Buffer, format: ObjectFormat): readonly IndexEntry[] | null {
  const hashLength = hashLengths[format];
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || bytes.readUInt32BE(4) !== 2) return null;
  const entries: IndexEntry[] = [];
  let at = headerLength;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const nameAt = at + statLength + hashLength + 2;
    const end = bytes.indexOf(0, nameAt);
    // Stages, skipped and assumed files; the rest is the length of the name.
    if (end < 0 || (bytes.readUInt16BE(nameAt - 2) & 0xf000) !== 0) return null;
    entries.push({
      path: bytes.toString('latin1', nameAt, end),
      oid: bytes.toString('hex', at + statLength, nameAt - 2) as ObjectId,
      stat: bytes.subarray(at, at + statLength),
    });
    at += paddedLength(nameAt - at + end - nameAt);
  }
  return areOptional(bytes.subarray(at, bytes.length - hashLength)) ? entries : null;
}

/** Bytes of the largest file that an index of any version names, as it lay on disk. */
export function largestFile(bytes: Buffer, format: ObjectFormat): number {
  if (bytes.length < headerLength) return 0;
  const version = bytes.readUInt32BE(4);
  let [at, most] = [headerLength, 0];
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + statLength + hashLengths[format];
    if (flagsAt + 2 > bytes.length) return most;
    most = Math.max(most, bytes.readUInt32BE(at + sizeAt));
    const isExtended = (bytes.readUInt16BE(flagsAt) & 0x4000) !== 0;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    // Version 4 begins a name with how much of the one before it is left out, and pads nothing.
    if (version === 4) while (((bytes[nameAt++] ?? 0) & 0x80) !== 0);
    const end = bytes.indexOf(0, nameAt);
    if (end < 0) return most;
    at = version === 4 ? end + 1 : at + paddedLength(end - at);
  }
  return most;
}

/** Extensions that git may leave out begin with a capital letter. */
function areOptional(extensions: Buffer): boolean {
  for (let at = 0; at + 8 <= extensions.length; at += 8 + extensions.readUInt32BE(at + 4))
    if (!/^[A-Z]/.test(extensions.toString('latin1', at, at + 1))) return false;
  return true;
}

/** Writes an index of these entries, in git's order. */
export function renderIndex(entries: readonly IndexEntry[], format: ObjectFormat): Buffer {
  const header = Buffer.alloc(headerLength);
  header.write('DIRC');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(entries.length, 8);
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
  const content = Buffer.concat([header, ...sorted.map(renderEntry)]);
  return Buffer.concat([content, createHash(format).update(content).digest()]);
}

function renderEntry({ path, oid, stat }: IndexEntry): Buffer {
  const name = Buffer.from(path, 'latin1');
  const id = Buffer.from(oid, 'hex');
  const used = statLength + id.length + 2 + name.length;
  const entry = Buffer.alloc(paddedLength(used));
  stat.copy(entry);
  id.copy(entry, statLength);
  entry.writeUInt16BE(Math.min(name.length, longName), statLength + id.length);
  name.copy(entry, used - name.length);
  return entry;
}

/** At least one NUL ends a name. */
function paddedLength(used: number): number {
  return (used + 8) & ~7;
}

export function modeOf({ stat }: IndexEntry): number {
  return stat.readUInt32BE(modeAt);
}

/** What git notes of a file on disk, so that it need not read it again. */
export function statOf(facts: BigIntStats, mode: number): Buffer {
  const second = 1_000_000_000n;
  const { ctimeNs, mtimeNs, dev, ino, uid, gid, size } = facts;
  const fields = [ctimeNs / second, ctimeNs % second, mtimeNs / second, mtimeNs % second, dev, ino];
  const stat = Buffer.alloc(statLength);
  for (const [index, value] of [...fields, BigInt(mode), uid, gid, size].entries())
    stat.writeUInt32BE(Number(BigInt.asUintN(32, value)), index * 4);
  return stat;
}
