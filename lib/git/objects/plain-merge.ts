import type { ObjectId } from '../../domain/ids.ts';
import { makeObject, type NewObject, type ObjectFormat } from './make-object.ts';
import type { ObjectSource } from './object-source.ts';
import { onlyMergeBase } from './only-merge-base.ts';
import { folderMode, parseTree, renderTree, type TreeRow } from './parse-tree.ts';
import { type ReadLinks, remember } from './read-links.ts';

/**
 * Merges two commits whose changes have nothing to do with each other, without starting git; new trees are handed to
 * `write`. null where only git can tell: see mergeTrees.
 */
export type PlainMerge = (
  ours: ObjectId,
  theirs: ObjectId,
  write: (tree: NewObject) => void,
) => Promise<ObjectId | null>;

export function plainMerger(objects: ObjectSource, readLinks: ReadLinks, format: ObjectFormat): PlainMerge {
  const trees = new Map<ObjectId, readonly TreeRow[]>();
  const readTree = async (oid: ObjectId): Promise<readonly TreeRow[] | null> =>
    trees.get(oid) ?? remember(trees, oid, await readRows(objects, oid));
  return async (ours, theirs, write) => {
    const base = await onlyMergeBase(readLinks, ours, theirs);
    if (base === null) return null;
    const [from, one, other] = await Promise.all([base, ours, theirs].map(readLinks));
    if (!from || !one || !other) return null;
    return mergeTrees({ readTree, format, write }, { base: from.tree, one: one.tree, other: other.tree });
  };
}

async function readRows(objects: ObjectSource, oid: ObjectId): Promise<readonly TreeRow[] | null> {
  const object = await objects.read(oid);
  return object?.type === 'tree' ? parseTree(object.bytes, oid.length / 2) : null;
}

interface Trees {
  readonly readTree: (oid: ObjectId) => Promise<readonly TreeRow[] | null>;
  readonly format: ObjectFormat;
  readonly write: (tree: NewObject) => void;
}

interface Sides {
  readonly base: ObjectId;
  readonly one: ObjectId;
  readonly other: ObjectId;
}

/**
 * Merges three trees as git would where that needs no look into files: in each folder that both sides changed, no
 * entry is gone and each that changed did so on one side alone, or alike. Then nothing can have been renamed there, no
 * content is merged, and attributes play no part. null for everything else.
 */
async function mergeTrees(trees: Trees, { base, one, other }: Sides): Promise<ObjectId | null> {
  if (base === other) return one;
  if (base === one) return other;
  const rows = await Promise.all([base, one, other].map(trees.readTree));
  const [before, ours, theirs] = rows.map((found) => found && new Map(found.map((row) => [row.name, row])));
  if (!before || !ours || !theirs) return null;
  const merged: TreeRow[] = [];
  for (const name of new Set([...before.keys(), ...ours.keys(), ...theirs.keys()])) {
    const row = await mergeRows(trees, before.get(name), ours.get(name), theirs.get(name));
    if (row === null) return null;
    merged.push(row);
  }
  const tree = makeObject(trees.format, 'tree', renderTree(merged));
  trees.write(tree);
  return tree.oid;
}

async function mergeRows(
  trees: Trees,
  before: TreeRow | undefined,
  ours: TreeRow | undefined,
  theirs: TreeRow | undefined,
): Promise<TreeRow | null> {
  if (before === undefined) {
    if (ours === undefined || theirs === undefined) return ours ?? theirs ?? null;
    return isSame(ours, theirs) ? ours : null;
  }
  if (ours === undefined || theirs === undefined) return null;
  if (isSame(before, theirs)) return isOfOneKind(before, ours) ? ours : null;
  if (isSame(before, ours)) return isOfOneKind(before, theirs) ? theirs : null;
  if ([before, ours, theirs].some(({ mode }) => mode !== folderMode)) {
    const isAlike = isSame(ours, theirs) && isOfOneKind(before, ours);
    return isAlike ? ours : null;
  }
  const oid = await mergeTrees(trees, { base: before.oid, one: ours.oid, other: theirs.oid });
  return oid === null ? null : { ...before, oid };
}

function isSame(one: TreeRow, other: TreeRow): boolean {
  return one.oid === other.oid && one.mode === other.mode;
}

/** A file in the place of a folder, or the other way round: what was there is gone. */
function isOfOneKind(one: TreeRow, other: TreeRow): boolean {
  return (one.mode === folderMode) === (other.mode === folderMode);
}
