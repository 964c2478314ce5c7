import { isUtf8 } from 'node:buffer';

/**
 * Names of files are bytes. Those that aren't UTF-8 become text in which each odd byte is a lone surrogate, U+DC80 to
 * U+DCFF, which no text has: what is read so is written back byte for byte, and matches globs as far as it is text.
 */
export function decodeFileName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((count) => isCharacter(bytes.subarray(at, at + count))) ?? 0;
    text += length === 0 ? String.fromCharCode(0xdc00 + (bytes[at] ?? 0)) : bytes.toString('utf8', at, at + length);
    at += Math.max(1, length);
  }
  return text;
}

function isCharacter(bytes: Buffer): boolean {
  return isUtf8(bytes) && [...bytes.toString()].length === 1;
}

/** The bytes of a name that decodeFileName read. */
export function encodeFileName(name: string): Buffer {
  if (isTextFileName(name)) return Buffer.from(name);
  const parts = [...name].map((character) => {
    const code = character.charCodeAt(0);
    const isOdd = character.length === 1 && code >= 0xdc80 && code <= 0xdcff;
    return isOdd ? Buffer.from([code - 0xdc00]) : Buffer.from(character);
  });
  return Buffer.concat(parts);
}

/** Whether a name is text, all of it. */
export function isTextFileName(name: string): boolean {
  return renderFileName(name) === name;
}

/** A name to be shown or stored: what is no text in it is replaced. */
export function renderFileName(name: string): string {
  return Buffer.from(name).toString();
}

/** Names that each end in NUL. */
export function splitFileNames(output: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0, at);
    const stop = end < 0 ? output.length : end;
    if (stop > at) names.push(decodeFileName(output.subarray(at, stop)));
    at = stop + 1;
  }
  return names;
}

/** Joins names, each with NUL behind it, as splitFileNames reads them. */
export function joinFileNames(names: readonly string[]): Buffer {
  return Buffer.concat(names.flatMap((name) => [encodeFileName(name), Buffer.from([0])]));
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of bytes, nothing lost: what is no UTF-8 is written byte by byte as `⟦0xE9⟧`. */
export function decodeBytesVisibly(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodePieces(bytes);
  }
}

function decodePieces(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length > 0) text += strict.decode(bytes.subarray(at, at + length));
    else text += `⟦0x${(bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0')}⟧`;
    at += Math.max(1, length);
  }
  return text;
}

/** Bytes of the character that begins here; 0: none does. */
function characterLength(bytes: Uint8Array, at: number): number {
  for (const length of [1, 2, 3, 4]) {
    if (at + length > bytes.length) return 0;
    try {
      strict.decode(bytes.subarray(at, at + length));
      return length;
    } catch {
      // Perhaps with one byte more.
    }
  }
  return 0;
}
