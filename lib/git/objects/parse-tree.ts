import type { ObjectId } from '../../domain/ids.ts';

export const folderMode = '40000';
const fileMode = '100644';

export interface TreeRow {
  /** As the tree has it: `100644`, `40000`. */
  readonly mode: string;
  /** Names are bytes, kept as latin1 text. */
  readonly name: string;
  readonly oid: ObjectId;
}

/** Reads a tree object: `mode SP name NUL id`, again and again. Throws on bytes that are no tree. */
export function parseTree(bytes: Buffer, rawIdLength: number): readonly TreeRow[] {
  const found: TreeRow[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = find(bytes, 32, at);
    const end = find(bytes, 0, space);
    if (end + 1 + rawIdLength > bytes.length) throw new Error('is not a tree');
    found.push({
      mode: modeOf(bytes, at, space),
      name: bytes.toString('latin1', space + 1, end),
      oid: bytes.toString('hex', end + 1, end + 1 + rawIdLength) as ObjectId,
    });
    at = end + 1 + rawIdLength;
  }
  return found;
}

/** As `indexOf`, which is called across a border: what is looked for here is near. The length where it isn't there. */
function find(bytes: Buffer, byte: number, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== byte) at += 1;
  return at;
}

/** Nearly all are one of two, and then no text is made for each. */
function modeOf(bytes: Buffer, start: number, end: number): string {
  const guess = end - start === folderMode.length ? folderMode : fileMode;
  if (end - start !== guess.length) return bytes.toString('latin1', start, end);
  for (let at = 0; at < guess.length; at += 1)
    if (bytes[start + at] !== guess.charCodeAt(at)) return bytes.toString('latin1', start, end);
  return guess;
}
