import type { ObjectId } from '../../domain/ids.ts';
import type { ObjectType, UnwrittenObject } from '../../git/objects/make-object.ts';
import { addToListOfKey } from '../../util/sort-and-group.ts';

/** A git tree in memory. Never changed: an edit makes new nodes along its path and shares the rest. */
export interface TreeNode<N> {
  readonly oid: ObjectId;
  /** By name; names are bytes, kept as latin1 text. */
  readonly entries: ReadonlyMap<string, TreeEntry<N>>;
}

export interface TreeEntry<N> {
  /** As the tree has it: `100644`, `40000`. */
  readonly mode: string;
  readonly oid: ObjectId;
  /** Set on folders that may hold notes or anchors. */
  readonly tree: TreeNode<N> | null;
  /** Set on notes. */
  readonly note: N | null;
}

export interface TreeEdit<N> {
  readonly path: readonly string[];
  /** null removes the existing entry. */
  readonly entry: TreeEntry<N> | null;
}

/** Names an object and keeps it for writing. */
export type ObjectSink = (type: ObjectType, content: string | Uint8Array) => UnwrittenObject;

export const noteFolderMode = '40000';
export const noteFileMode = '100644';
export const anchorsFolder = 'anchors';

/** Path a note is written to: two digits, then the rest. git reads any other division too, and so does this. */
export function notePath(key: ObjectId): readonly string[] {
  return [key.slice(0, 2), key.slice(2)];
}

/** All notes of one key, with their paths. More than one: other tools filed it twice. */
export function findNotesByKey<N>(
  root: TreeNode<N> | null,
  key: string,
): readonly { readonly path: readonly string[]; readonly note: N }[] {
  if (root === null) return [];
  const direct = root.entries.get(key);
  const folder = root.entries.get(key.slice(0, 2));
  const below =
    folder?.tree == null
      ? []
      : findNotesByKey(folder.tree, key.slice(2)).map(({ path, note }) => ({
          path: [key.slice(0, 2), ...path],
          note,
        }));
  return direct?.note == null ? below : [{ path: [key], note: direct.note }, ...below];
}

/** Every note of the tree, in the tree's order. */
export function listNotes<N>(root: TreeNode<N> | null): readonly N[] {
  const found: N[] = [];
  const visit = (node: TreeNode<N>): void => {
    for (const { note, tree } of node.entries.values()) {
      if (note !== null) found.push(note);
      if (tree !== null) visit(tree);
    }
  };
  if (root !== null) visit(root);
  return found;
}

/** Name of an anchor, and its id, which is the key of a note. */
interface AnchorName {
  readonly name: string;
  readonly key: ObjectId;
}

/** The anchors of a tree, those alone whose keys are wanted. */
export function listAnchors<N>(
  root: TreeNode<N> | null,
  isWanted: (key: ObjectId) => boolean = () => true,
): readonly AnchorName[] {
  return listAnchorsInFolder(root?.entries.get(anchorsFolder)?.tree ?? null, [], isWanted);
}

/** The anchors of one folder; `above` stands before each name. */
export function listAnchorsInFolder<N>(
  folder: TreeNode<N> | null,
  above: readonly string[],
  isWanted: (key: ObjectId) => boolean = () => true,
): readonly AnchorName[] {
  const found: AnchorName[] = [];
  const visit = (node: TreeNode<N>, names: readonly string[]): void => {
    for (const [name, { tree, oid }] of node.entries) {
      if (tree !== null) visit(tree, [...names, name]);
      else if (isWanted(oid)) found.push({ name: [...names, name].join('/'), key: oid });
    }
  };
  if (folder !== null) visit(folder, above);
  return found;
}

/** The notes only one of two trees has; folders they share cost nothing. */
export function diffNotes<N>(
  before: TreeNode<N> | null,
  after: TreeNode<N> | null,
): { readonly gone: readonly N[]; readonly added: readonly N[] } {
  const gone: N[] = [];
  const added: N[] = [];
  const visit = (old: TreeNode<N> | null, now: TreeNode<N> | null): void => {
    if (old?.oid === now?.oid) return;
    for (const [name, entry] of old?.entries ?? []) {
      const other = now?.entries.get(name);
      if (other?.oid === entry.oid) continue;
      if (entry.note !== null) gone.push(entry.note);
      if (entry.tree !== null && other?.tree == null) visit(entry.tree, null);
    }
    for (const [name, entry] of now?.entries ?? []) {
      const other = old?.entries.get(name);
      if (other?.oid === entry.oid) continue;
      if (entry.note !== null) added.push(entry.note);
      if (entry.tree !== null) visit(other?.tree ?? null, entry.tree);
    }
  };
  visit(before, after);
  return { gone, added };
}

/** Applies edits; null if nothing is left. A folder that becomes empty goes. Throws if a file is in a folder's place. */
export function editNoteTree<N>(
  root: TreeNode<N> | null,
  edits: readonly TreeEdit<N>[],
  sink: ObjectSink,
): TreeNode<N> | null {
  const entries = new Map(root?.entries ?? []);
  const deeper = new Map<string, TreeEdit<N>[]>();
  for (const { path, entry } of edits) {
    const [name = '', ...rest] = path;
    if (rest.length > 0) addToListOfKey(deeper, name, { path: rest, entry });
    else if (entry === null) entries.delete(name);
    else entries.set(name, entry);
  }
  for (const [name, list] of deeper) {
    const old = entries.get(name);
    if (old !== undefined && old.tree === null) throw new NotAFolderError(name);
    const tree = editNoteTree(old?.tree ?? null, list, sink);
    if (tree === null) entries.delete(name);
    else entries.set(name, { mode: noteFolderMode, oid: tree.oid, tree, note: null });
  }
  return entries.size === 0 ? null : { oid: sink('tree', renderTree(entries)).oid, entries };
}

/** A foreign file or an unread folder stands where notes belong. */
export class NotAFolderError extends Error {}

interface Row {
  /** git sorts a folder as if its name ended in a slash. */
  readonly order: string;
  readonly bytes: Buffer;
}

function renderTree<N>(entries: ReadonlyMap<string, TreeEntry<N>>): Buffer {
  const rows = Array.from(entries, ([name, entry]) => rowOf(name, entry));
  rows.sort((a, b) => (a.order < b.order ? -1 : 1));
  return Buffer.concat(rows.map(({ bytes }) => bytes));
}

function rowOf<N>(name: string, entry: TreeEntry<N>): Row {
  const { mode, oid } = entry;
  const bytes = Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(oid, 'hex')]);
  return { order: mode === noteFolderMode ? `${name}/` : name, bytes };
}
