import { isUtf8 } from 'node:buffer';
import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import type { ChangedFile, TreeChange } from '../../domain/state/patch.ts';
import { type ObjectSource, requireObject } from '../objects/object-source.ts';
import { findInTree } from '../objects/read-tree.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

const submoduleMode = '160000';
const noMode = '000000';
const asData = ['-r', '-z', '--raw', '--no-renames', '--no-ext-diff', '--ignore-submodules=none'];
const counted = [...asData, '--numstat', '--no-textconv'];

/** Every path that differs between two commits, in git's order; a rename is a deletion and an addition. */
export function readChangedFiles(
  context: GitContext,
  objects: ObjectSource,
  base: ObjectId,
  tip: ObjectId,
): Promise<readonly ChangedFile[]> {
  return readFiles(context, objects, ['diff-tree', ...counted, base, tip, '--']);
}

/** Every path whose staged content differs from a commit or tree. */
export function readStagedFiles(
  context: GitContext,
  objects: ObjectSource,
  base: ObjectId,
): Promise<readonly ChangedFile[]> {
  return readFiles(context, objects, ['diff-index', '--cached', ...counted, base, '--']);
}

/** Files that differ between two commits, in git's order. */
export async function readTreeChanges(
  context: GitContext,
  base: ObjectId,
  tip: ObjectId,
): Promise<readonly TreeChange[]> {
  if (base === tip) return [];
  const { stdout } = await runGit(context, ['diff-tree', ...asData, base, tip, '--']);
  return parseChanges(stdout.toString()).map(({ path, oldMode, newMode, oldOid, newOid }) => ({
    path,
    mode: newMode,
    blob: newMode === noMode ? null : newOid,
    oldMode,
    oldBlob: oldMode === noMode ? null : oldOid,
  }));
}

async function readFiles(
  context: GitContext,
  objects: ObjectSource,
  args: readonly string[],
): Promise<readonly ChangedFile[]> {
  const { stdout } = await runGit(context, args);
  const changes = parseChanges(stdout.toString());
  const sizes = await readSizesOfBlobs(objects, changes);
  return changes.map((change) => ({ ...change, size: sizes.get(change.newOid) ?? 0 }));
}

export type FileChangeWithoutSize = Omit<ChangedFile, 'size'>;

/** All `:modes oids status NUL path NUL` come first, then all `added TAB deleted TAB path NUL`. */
function parseChanges(text: string): readonly FileChangeWithoutSize[] {
  const tokens = text.split('\0');
  const raw: Omit<FileChangeWithoutSize, 'isBinary'>[] = [];
  let at = 0;
  for (; tokens[at]?.startsWith(':'); at += 2) raw.push(parseRawDiffLine(tokens[at] ?? '', tokens[at + 1] ?? ''));
  const binary = new Set(tokens.slice(at).flatMap((token) => (token.startsWith('-\t-\t') ? [token.slice(4)] : [])));
  return raw.map((change) => ({ ...change, isBinary: binary.has(change.path) }));
}

export function parseRawDiffLine(fields: string, path: string): Omit<FileChangeWithoutSize, 'isBinary'> {
  const [oldMode = '', newMode = '', oldOid = '', newOid = '', letter = ''] = fields.slice(1).split(' ');
  const isModeOnly = letter === 'M' && oldOid === newOid;
  return {
    path,
    status: isModeOnly ? 'mode-changed' : (fileStatusByLetter[letter] ?? 'modified'),
    oldMode,
    newMode,
    oldOid: parseObjectId(oldOid),
    newOid: parseObjectId(newOid),
  };
}

/** By the letter that git writes. */
export const fileStatusByLetter: Readonly<Record<string, ChangedFile['status']>> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  T: 'type-changed',
};

export async function readSizesOfBlobs(
  objects: ObjectSource,
  changes: readonly FileChangeWithoutSize[],
): Promise<ReadonlyMap<string, number>> {
  const blobs = changes.filter(({ status, newMode }) => status !== 'deleted' && newMode !== submoduleMode);
  const sizes = blobs.map(async ({ newOid }) => {
    const { size } = await requireObject(newOid, objects.info(newOid));
    return [newOid, size] as const;
  });
  return new Map(await Promise.all(sizes));
}

const largest = 1_048_576;

/**
 * Texts of files (for a symbolic link, where it points) in a commit, by path. What is absent, not UTF-8, holds
 * a NUL or is over 1 MiB is left out.
 */
export async function readTextsInCommit(
  objects: ObjectSource,
  commit: ObjectId,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map();
  const found = await findInTree(objects, commit, paths);
  const texts = await Promise.all(
    [...found].map(async ([path, { oid }]) => [path, await readTextOfBlob(objects, oid)] as const),
  );
  return new Map(texts.flatMap(([path, text]) => (text === null ? [] : [[path, text] as const])));
}

/** The text of one object; null where it's none, as above. */
export async function readTextOfBlob(objects: ObjectSource, oid: ObjectId): Promise<string | null> {
  const info = await objects.info(oid);
  if (info?.type !== 'blob' || info.size > largest) return null;
  const bytes = (await objects.read(oid))?.bytes;
  return bytes !== undefined && isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : null;
}

/** The bytes of a blob as latin1 text without the zeros that UTF-16 has between letters; null where it's none. */
export async function readLatin1BlobWithoutZeros(objects: ObjectSource, oid: ObjectId): Promise<string | null> {
  const object = await objects.read(oid);
  if (object?.type !== 'blob') return null;
  const { bytes } = object;
  return (bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes).toString('latin1');
}
