import { isUtf8 } from 'node:buffer';
import type { ObjectId } from '../../domain/ids.ts';
import { findInTree } from '../objects/find-in-tree.ts';
import type { ObjectSource } from '../objects/object-source.ts';

const largest = 1_048_576;

/**
 * Texts of files (for a symbolic link, where it points) in a commit, by path. What is absent, not UTF-8, holds
 * a NUL or is over 1 MiB is left out.
 */
export async function readTexts(
  objects: ObjectSource,
  commit: ObjectId,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map();
  const found = await findInTree(objects, commit, paths);
  const texts = await Promise.all(
    [...found].map(async ([path, { oid }]) => [path, await readText(objects, oid)] as const),
  );
  return new Map(texts.flatMap(([path, text]) => (text === null ? [] : [[path, text] as const])));
}

/** The text of one object; null where it's none, as above. */
export async function readText(objects: ObjectSource, oid: ObjectId): Promise<string | null> {
  const info = await objects.info(oid);
  if (info?.type !== 'blob' || info.size > largest) return null;
  const bytes = (await objects.read(oid))?.bytes;
  return bytes !== undefined && isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : null;
}

/** The bytes of a blob as latin1 text without the zeros that UTF-16 has between letters; null where it's none. */
export async function readContent(objects: ObjectSource, oid: ObjectId): Promise<string | null> {
  const object = await objects.read(oid);
  if (object?.type !== 'blob') return null;
  const { bytes } = object;
  return (bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes).toString('latin1');
}
