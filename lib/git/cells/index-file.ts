import type { ObjectFormat } from '../objects/make-object.ts';

// The fields of an entry: gitformat-index(5).
const hashLengths = { sha1: 20, sha256: 32 } as const;
const headerLength = 12;
const statLength = 40;
const sizeAt = 36;

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

/** At least one NUL ends a name. */
function paddedLength(used: number): number {
  return (used + 8) & ~7;
}
