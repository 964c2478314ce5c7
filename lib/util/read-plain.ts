import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

// A file that another program may have made is read only by this code: a link may lead anywhere, a pipe blocks, a
// device has no end, and a file may be larger than the memory.

interface Bounds {
  /** Bytes; of a larger file the beginning is read. */
  readonly most: number;
  /** No folder on the way from here may be a link: the path is below it then. */
  readonly root?: string;
}

export interface PlainText {
  readonly text: string;
  /** Of the whole file, in bytes. */
  readonly size: number;
}

/** Reads the beginning of a plain file; null where there is none, it is something else, or a link leads to it. */
export function readPlain(path: string, { most, root }: Bounds): PlainText | null {
  const file = openPlain(root === undefined ? path : join(root, path));
  if (file === null) return null;
  try {
    const { size } = fstatSync(file);
    if (root !== undefined && placeOf(file, join(root, path)) !== join(realpathSync(root), path)) return null;
    const bytes = Buffer.alloc(Math.min(size, most));
    return { text: bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0)), size };
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}

/** Reads the text that readPlain finds, '' where there is none. */
export function readPlainText(path: string, bounds: Bounds): string {
  return readPlain(path, bounds)?.text ?? '';
}

/** Opens a file to read; null where it is not plain, or a link. */
export function openPlain(path: string): number | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    return null;
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  return null;
}

/** Where an open file really lies. */
function placeOf(file: number, path: string): string {
  return process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${file}`) : realpathSync(path);
}
