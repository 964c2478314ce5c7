import type { ObjectId } from '../../domain/ids.ts';
import { type ObjectSource, required } from './object-source.ts';
import { parseTree, type TreeRow } from './parse-tree.ts';

/** Finds a commit's entries at these paths, bytes exact; absent ones are left out. A folder is read once. */
export async function findInTree(
  objects: ObjectSource,
  commit: ObjectId,
  paths: readonly string[],
): Promise<ReadonlyMap<string, TreeRow>> {
  const folders = new Map<ObjectId, Promise<ReadonlyMap<string, TreeRow>>>();
  const open = (oid: ObjectId): Promise<ReadonlyMap<string, TreeRow>> => {
    const known = folders.get(oid) ?? readFolder(objects, oid);
    folders.set(oid, known);
    return known;
  };
  const root = await readRoot(objects, commit);
  const find = async (path: string): Promise<TreeRow | undefined> => {
    let row: TreeRow | undefined = root;
    for (const name of path.split('/')) {
      if (row === undefined || row.mode !== folderMode) return undefined;
      row = (await open(row.oid)).get(Buffer.from(name).toString('latin1'));
    }
    return row;
  };
  const rows = await Promise.all(paths.map(async (path) => [path, await find(path)] as const));
  return new Map(rows.flatMap(([path, row]) => (row === undefined ? [] : [[path, row] as const])));
}

const folderMode = '40000';

async function readRoot(objects: ObjectSource, commit: ObjectId): Promise<TreeRow> {
  const { bytes } = await required(commit, objects.read(commit));
  const oid = /^tree ([0-9a-f]+)\n/.exec(bytes.toString('latin1', 0, 100))?.[1] ?? '';
  return { mode: folderMode, name: '', oid: oid as ObjectId };
}

async function readFolder(objects: ObjectSource, oid: ObjectId): Promise<ReadonlyMap<string, TreeRow>> {
  const { bytes } = await required(oid, objects.read(oid));
  return new Map(parseTree(bytes, oid.length / 2).map((row) => [row.name, row]));
}
