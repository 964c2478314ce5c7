import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';

/** Whether an error says that there is nothing at a path, nor a folder on the way to it. */
export function isMissingFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** null: there is none. Throws where it can't be read. */
export function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isMissingFileError(error)) return null;
    throw error;
  }
}

/** '' where there is none, it can't be read, or it is a pipe, for whose writer this would wait for ever. */
export function readTextOrEmpty(path: string): string {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return readFileSync(file, 'utf8');
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

/** Lists the names in a folder; empty where there is no folder, or it can't be read. */
export function listNamesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Lists names as listNamesIn does, but as bytes: one may be no text. */
export function listByteNamesIn(folder: Buffer): readonly Buffer[] {
  try {
    return readdirSync(folder, { encoding: 'buffer' });
  } catch {
    return [];
  }
}

/** Lists the paths of a folder's entries, as listNamesIn does their names. */
export function listPathsIn(folder: string): readonly string[] {
  return listNamesIn(folder).map((name) => join(folder, name));
}

/** Lists a folder's entries, each with its kind; empty where it can't be read. */
export function listEntriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Whether there is a folder at a path, or a link leads to one. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Another text after each time the file at this path was written or replaced; '' where there is none. */
export function fileStamp(path: string): string {
  const facts = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return facts === undefined ? '' : [facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join(' ');
}

// A file that another program may have made is read only by this code: a link may lead anywhere, a pipe blocks, a
// device has no end, and a file may be larger than the memory.

interface Bounds {
  /** Bytes; of a larger file the beginning is read. */
  readonly most: number;
  /** No folder on the way from here may be a link: the path is below it then. */
  readonly root?: string;
}

export interface PlainFileText {
  readonly text: string;
  /** Of the whole file, in bytes. */
  readonly size: number;
}

/** Reads the beginning of a plain file; null where there is none, it is something else, or a link leads to it. */
export function readPlainFile(path: string, { most, root }: Bounds): PlainFileText | null {
  const file = openPlainFile(root === undefined ? path : join(root, path));
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

/** Reads the text that readPlainFile finds, '' where there is none. */
export function readPlainText(path: string, bounds: Bounds): string {
  return readPlainFile(path, bounds)?.text ?? '';
}

/** Opens a file to read; null where it is not plain, or a link. */
export function openPlainFile(path: string): number | null {
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
