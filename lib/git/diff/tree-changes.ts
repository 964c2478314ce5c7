import type { ObjectId } from '../../domain/ids.ts';
import type { TreeChange } from '../../domain/state/patch.ts';
import { type ObjectSource, required } from '../objects/object-source.ts';
import { parseTree, type TreeRow } from '../objects/parse-tree.ts';

const folderMode = '40000';

/** Files that differ between two commits, in git's order; reads only the folders that differ, and starts no process. */
export async function readTreeChanges(
  objects: ObjectSource,
  base: ObjectId,
  tip: ObjectId,
): Promise<readonly TreeChange[]> {
  const [before, after] = await Promise.all([rootOf(objects, base), rootOf(objects, tip)]);
  const found = await diffFolders(objects, Buffer.alloc(0), before, after);
  return found
    .sort((a, b) => Buffer.compare(a.name, b.name))
    .map(({ name, row, old }) => ({
      path: name.toString(),
      mode: modeOf(row),
      blob: row === null ? null : row.oid,
      oldMode: modeOf(old),
      oldBlob: old === null ? null : old.oid,
    }));
}

function modeOf(row: TreeRow | null): string {
  return row === null ? '000000' : row.mode.padStart(6, '0');
}

interface Found {
  readonly name: Buffer;
  /** null: it is gone. */
  readonly row: TreeRow | null;
  /** null: it was not there. */
  readonly old: TreeRow | null;
}

async function diffFolders(
  objects: ObjectSource,
  folder: Buffer,
  before: ObjectId | null,
  after: ObjectId | null,
): Promise<Found[]> {
  if (before === after) return [];
  const [old, now] = await Promise.all([readRows(objects, before), readRows(objects, after)]);
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const parts = await Promise.all(
    names.map(async (name): Promise<Found[]> => {
      const [left, right] = [old.get(name) ?? null, now.get(name) ?? null];
      if (left?.oid === right?.oid && left?.mode === right?.mode) return [];
      const path = Buffer.concat([folder, Buffer.from(name, 'latin1')]);
      const below = await diffFolders(
        objects,
        Buffer.concat([path, Buffer.from('/')]),
        left?.mode === folderMode ? left.oid : null,
        right?.mode === folderMode ? right.oid : null,
      );
      const file = (row: TreeRow | null): TreeRow | null => (row?.mode === folderMode ? null : row);
      const own = { name: path, row: file(right), old: file(left) };
      return own.row === null && own.old === null ? below : [own, ...below];
    }),
  );
  return parts.flat();
}

async function readRows(objects: ObjectSource, tree: ObjectId | null): Promise<ReadonlyMap<string, TreeRow>> {
  if (tree === null) return new Map();
  const { bytes } = await required(tree, objects.read(tree));
  return new Map(parseTree(bytes, tree.length / 2).map((row) => [row.name, row]));
}

async function rootOf(objects: ObjectSource, commit: ObjectId): Promise<ObjectId> {
  const { bytes } = await required(commit, objects.read(commit));
  const oid = /^tree ([0-9a-f]+)\n/.exec(bytes.toString('latin1', 0, 100))?.[1] ?? '';
  return oid as ObjectId;
}
