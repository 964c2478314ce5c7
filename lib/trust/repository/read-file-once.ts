import { createHash, hash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { listEntriesIn } from '../../util/read-file.ts';
import { isSameOrBelowFolder, realPathEvenIfMissing } from '../../util/real-and-private-paths.ts';

/** A file as it was read once: all that is said about it is about these bytes. */
export interface FileReadOnce {
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
export function readFileOnce(path: string): FileReadOnce | null {
  try {
    if (!statSync(path).isFile()) return null;
    return { path, realPath: realPathEvenIfMissing(path), ...readBytes(path) };
  } catch {
    return null;
  }
}

/** Piece by piece: what a command names may be larger than memory. */
function readBytes(path: string): Pick<FileReadOnce, 'bytes' | 'sha256'> {
  const handle = openSync(path, 'r');
  try {
    const digest = createHash('sha256');
    const pieces: Buffer[] = [];
    const piece = Buffer.alloc(pieceBytes);
    let length = 0;
    for (let read = readSync(handle, piece); read > 0; read = readSync(handle, piece)) {
      digest.update(piece.subarray(0, read));
      length += read;
      if (length <= longestKept) pieces.push(Buffer.from(piece.subarray(0, read)));
    }
    return { bytes: length > longestKept ? null : Buffer.concat(pieces), sha256: digest.digest('hex') };
  } finally {
    closeSync(handle);
  }
}

/** The text of a file, for a person; null where it is none, or longer than anyone reads. */
export function renderFileText({ bytes }: FileReadOnce): string | null {
  if (bytes === null || bytes.length > longestShown || bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A path as a person reads it: relative to the top of the repository, absolute outside it. */
export function renderPathInRepository(path: string, root: string): string {
  return isSameOrBelowFolder(path, root) ? relative(root, path) || '.' : path;
}

/** The same of what was read; the top folder represents all programs in it, see readPrograms. */
export function renderPathOfReadFile({ path }: Pick<FileReadOnce, 'path'>, root: string): string {
  return path === root ? 'any program of this repository' : renderPathInRepository(path, root);
}

/** Target of a link, when that is another place than its path shows; null for a path that is no link. */
export function renderLinkTarget(
  { path, realPath }: Pick<FileReadOnce, 'path' | 'realPath'>,
  root: string,
): string | null {
  const isPlain = realPath === path || realPath === realPathEvenIfMissing(root) + path.slice(root.length);
  return isPlain ? null : renderPathInRepository(realPath, realPathEvenIfMissing(root));
}

const codeEndings =
  /\.(?:(?:ba|z|k|fi)?sh|py|rb|pl|pm|php|lua|[cm]?[jt]sx?|ps1|bat|cmd|awk|jq|mk|tcl|exp|go|json|ya?ml|toml|ejs)$|^[^.]+$/i;
// Not what a clone brings.
const skipped = new Set(['.git', 'node_modules']);

/** A folder as one file: a line for each file in it, with its digest. */
export function readFolderOnce(folder: string, isRead: (name: string) => boolean = () => true): FileReadOnce {
  const lines = filesBelow(folder, isRead)
    .map((path) => readFileOnce(path))
    .filter((file) => file !== null)
    .map(({ path, sha256, realPath }) => {
      const name = JSON.stringify(relative(folder, path));
      return realPath === path ? `${sha256} ${name}` : `${sha256} ${name} -> ${JSON.stringify(realPath)}`;
    });
  const bytes = Buffer.from(`${lines.sort().join('\n')}\n`);
  return { path: folder, realPath: realPathEvenIfMissing(folder), bytes, sha256: hash('sha256', bytes) };
}

/** All that could be run of a repository's files, as one. */
export function readPrograms(root: string): FileReadOnce {
  return readFolderOnce(root, (name) => codeEndings.test(name));
}

function filesBelow(top: string, isRead: (name: string) => boolean): readonly string[] {
  const found: string[] = [];
  for (const waiting = [top]; waiting.length > 0; ) {
    const folder = waiting.pop() ?? top;
    for (const entry of listEntriesIn(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name) && !isWorktree(path)) waiting.push(path);
      } else if (isRead(entry.name) || isExecutable(path)) found.push(path);
    }
  }
  return found;
}

/** Another work tree of this repository, such as an agent's: its files are of no clone. */
function isWorktree(folder: string): boolean {
  try {
    return /^gitdir: .*\/worktrees\//.test(readFileSync(join(folder, '.git'), 'utf8'));
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0;
}
