import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { isBelow, realPathOf } from '../../util/path-places.ts';

/** A file as it was read once: all that is said about it is about these bytes. */
export interface ReadFile {
  /** As it was named, absolute; links are not resolved. */
  readonly path: string;
  readonly realPath: string;
  /** null: too many to be kept; their digest says which they are. */
  readonly bytes: Buffer | null;
  readonly sha256: string;
}

const longestShown = 262_144;
const longestKept = 8 * 1024 * 1024;
const pieceBytes = 1024 * 1024;

/** Reads a regular file; null where there is none, or it can't be read. */
export function readFileOnce(path: string): ReadFile | null {
  try {
    if (!statSync(path).isFile()) return null;
    return { path, realPath: realPathOf(path), ...readBytes(path) };
  } catch {
    return null;
  }
}

/** Piece by piece: what a command names may be larger than memory. */
function readBytes(path: string): Pick<ReadFile, 'bytes' | 'sha256'> {
  const handle = openSync(path, 'r');
  try {
    const hash = createHash('sha256');
    const pieces: Buffer[] = [];
    const piece = Buffer.alloc(pieceBytes);
    let length = 0;
    for (let read = readSync(handle, piece); read > 0; read = readSync(handle, piece)) {
      hash.update(piece.subarray(0, read));
      length += read;
      if (length <= longestKept) pieces.push(Buffer.from(piece.subarray(0, read)));
    }
    return { bytes: length > longestKept ? null : Buffer.concat(pieces), sha256: hash.digest('hex') };
  } finally {
    closeSync(handle);
  }
}

/** In hex. */
export function sha256Of(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The text of a file, for a person; null where it is none, or longer than anyone reads. */
export function shownText({ bytes }: ReadFile): string | null {
  if (bytes === null || bytes.length > longestShown || bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A path as a person reads it: relative to the top of the repository, absolute outside it. */
export function shownPath(path: string, root: string): string {
  return isBelow(path, root) ? relative(root, path) || '.' : path;
}

/** The same of what was read; the top folder represents all programs in it, see readPrograms. */
export function shownFile({ path }: Pick<ReadFile, 'path'>, root: string): string {
  return path === root ? 'any program of this repository' : shownPath(path, root);
}

/** Target of a link, when that is another place than its path shows; null for a path that is no link. */
export function shownTarget(
  { path, realPath }: Pick<ReadFile, 'path' | 'realPath'>,
  root: string,
): string | null {
  const isPlain = realPath === path || realPath === realPathOf(root) + path.slice(root.length);
  return isPlain ? null : shownPath(realPath, realPathOf(root));
}
