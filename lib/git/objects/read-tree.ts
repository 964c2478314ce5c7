import type { ObjectId } from '../../domain/ids.ts';
import { type ObjectSource, requireObject } from './object-source.ts';

export const folderModeInTree = '40000';

export interface GitTreeEntry {
  /** As the tree has it: `100644`, `40000`. */
  readonly mode: string;
  /** Names are bytes, kept as latin1 text. */
  readonly name: string;
  readonly oid: ObjectId;
}

/** Reads a tree object: `mode SP name NUL id`, again and again. Throws on bytes that are no tree. */
export function parseTree(bytes: Buffer, rawIdLength: number): readonly GitTreeEntry[] {
  const found: GitTreeEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at);
    const end = bytes.indexOf(0, space);
    if (space < 0 || end < 0 || end + 1 + rawIdLength > bytes.length) throw new Error('is not a tree');
    found.push({
      mode: bytes.toString('latin1', at, space),
      name: bytes.toString('latin1', space + 1, end),
      oid: bytes.toString('hex', end + 1, end + 1 + rawIdLength) as ObjectId,
    });
    at = end + 1 + rawIdLength;
  }
  return found;
}

/** Finds a commit's entries at these paths, bytes exact; absent ones are left out. A folder is read once. */
export async function findInTree(
  objects: ObjectSource,
  commit: ObjectId,
  paths: readonly string[],
): Promise<ReadonlyMap<string, GitTreeEntry>> {
  const folders = new Map<ObjectId, Promise<ReadonlyMap<string, GitTreeEntry>>>();
  const open = (oid: ObjectId): Promise<ReadonlyMap<string, GitTreeEntry>> => {
    const known = folders.get(oid) ?? readFolder(objects, oid);
    folders.set(oid, known);
    return known;
  };
  const root = await readRoot(objects, commit);
  const find = async (path: string): Promise<GitTreeEntry | undefined> => {
    let row: GitTreeEntry | undefined = root;
    for (const name of path.split('/')) {
      if (row === undefined || row.mode !== folderModeInTree) return undefined;
      row = (await open(row.oid)).get(Buffer.from(name).toString('latin1'));
    }
    return row;
  };
  const rows = await Promise.all(paths.map(async (path) => [path, await find(path)] as const));
  return new Map(rows.flatMap(([path, row]) => (row === undefined ? [] : [[path, row] as const])));
}

async function readRoot(objects: ObjectSource, commit: ObjectId): Promise<GitTreeEntry> {
  const { bytes } = await requireObject(commit, objects.read(commit));
  const oid = /^tree ([0-9a-f]+)\n/.exec(bytes.toString('latin1', 0, 100))?.[1] ?? '';
  return { mode: folderModeInTree, name: '', oid: oid as ObjectId };
}

async function readFolder(objects: ObjectSource, oid: ObjectId): Promise<ReadonlyMap<string, GitTreeEntry>> {
  const { bytes } = await requireObject(oid, objects.read(oid));
  return new Map(parseTree(bytes, oid.length / 2).map((row) => [row.name, row]));
}
