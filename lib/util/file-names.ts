import { isUtf8 } from 'node:buffer';

/**
 * Names of files are bytes. Those that aren't UTF-8 become text in which each odd byte is a lone surrogate, U+DC80 to
 * U+DCFF, which no text has: what is read so is written back byte for byte, and matches globs as far as it is text.
 */
export function decodeFileName(bytes: Buffer): string {
  return decodeBytes(bytes, (byte) => String.fromCharCode(0xdc00 + byte));
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

/** The bytes of a path in a folder. */
export function encodeFilePath(folder: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), encodeFileName(path)]);
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

/** Text of bytes, nothing lost: what is no UTF-8 is written byte by byte as `⟦0xE9⟧`. */
export function decodeBytesVisibly(bytes: Uint8Array): string {
  return decodeBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), (byte) => {
    return `⟦0x${byte.toString(16).toUpperCase().padStart(2, '0')}⟧`;
  });
}

/** Text of bytes; of one that is no UTF-8 what `odd` makes of it. */
function decodeBytes(bytes: Buffer, odd: (byte: number) => string): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((count) => isCharacter(bytes.subarray(at, at + count))) ?? 0;
    text += length === 0 ? odd(bytes[at] ?? 0) : bytes.toString('utf8', at, at + length);
    at += Math.max(1, length);
  }
  return text;
}

function isCharacter(bytes: Buffer): boolean {
  return isUtf8(bytes) && [...bytes.toString()].length === 1;
}
