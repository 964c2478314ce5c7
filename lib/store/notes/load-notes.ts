import type { ObjectId } from '../../domain/ids.ts';
import type { ObjectHashFormat } from '../../git/objects/make-object.ts';
import { parseTree } from '../../git/objects/read-tree.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { stateCorrupt } from '../store-errors.ts';
import { loadSchemas, type NoteKind } from './note-kinds.ts';
import { anchorsFolder, noteFolderMode, type TreeEntry, type TreeNode } from './note-tree.ts';
import { type NoteId, StoredNote } from './stored-note.ts';

export interface LoadContext {
  readonly catFile: CatFile;
  readonly objectFormat: ObjectHashFormat;
  /** Which notes are looked into; default: all. */
  readonly isWanted?: (key: ObjectId) => boolean;
}

/**
 * Reads the notes tree of a commit, any fan-out; what `previous` already has is not read again. Throws FlameError
 * `state-corrupt` where the tree itself can't be read; a bad note alone is kept as such.
 */
export async function loadNotes<T>(
  context: LoadContext,
  kind: NoteKind<T>,
  tip: ObjectId,
  previous: TreeNode<StoredNote<T>> | null,
): Promise<TreeNode<StoredNote<T>>> {
  const oid = await readRootId(context, kind, tip);
  const root = await loadFolder(context, kind, { oid, prefix: '', old: previous });
  if (isForeign(root)) throw stateCorrupt(kind.ref, tip, 'has a tree that does not hold notes');
  return root;
}

/** The keys of the notes that are linked below `anchors/`, but for those in this folder of it. */
export async function readAnchoredKeysOutside<T>(
  context: LoadContext,
  kind: NoteKind<T>,
  tip: ObjectId,
  folder: string,
): Promise<ReadonlySet<ObjectId>> {
  const others = new Set<ObjectId>();
  const rowsOf = async (oid: ObjectId) => parseRows(context, kind, oid, await readObject(context, kind, oid, 'tree'));
  const visit = async (oid: ObjectId): Promise<void> => {
    const rows = await rowsOf(oid);
    for (const row of rows) if (row.mode !== noteFolderMode) others.add(row.oid);
    await Promise.all(rows.filter(({ mode }) => mode === noteFolderMode).map((row) => visit(row.oid)));
  };
  const root = await rowsOf(await readRootId(context, kind, tip));
  const anchors = root.find(({ name, mode }) => name === anchorsFolder && mode === noteFolderMode);
  const folders = anchors === undefined ? [] : await rowsOf(anchors.oid);
  const isOther = ({ name, mode }: Row): boolean => mode === noteFolderMode && name !== folder;
  await Promise.all(folders.filter(isOther).map((row) => visit(row.oid)));
  return others;
}

async function readRootId<T>(context: LoadContext, kind: NoteKind<T>, tip: ObjectId): Promise<ObjectId> {
  const commit = await readObject(context, kind, tip, 'commit');
  const tree = commit.toString('latin1', 0, 100).match(/^tree ([0-9a-f]+)\n/)?.[1];
  if (tree === undefined) throw stateCorrupt(kind.ref, tip, 'is not a commit with a tree');
  return tree as ObjectId;
}

interface Folder<T> {
  readonly oid: ObjectId;
  /** Digits of the key above this folder; null inside `anchors/`. */
  readonly prefix: string | null;
  readonly old: TreeNode<StoredNote<T>> | null;
}

async function loadFolder<T>(
  context: LoadContext,
  kind: NoteKind<T>,
  folder: Folder<T>,
): Promise<TreeNode<StoredNote<T>>> {
  if (folder.old?.oid === folder.oid) return folder.old;
  const bytes = await readObject(context, kind, folder.oid, 'tree');
  const rows = parseRows(context, kind, folder.oid, bytes);
  const parts = rows.map((row) => partOf(context, kind, folder, row));
  const notes = parts.filter((part) => part !== null && 'blob' in part);
  const folders = parts.filter((part) => part !== null && 'prefix' in part);
  const [objects, trees] = await Promise.all([
    context.catFile.readAll(notes.map(({ blob }) => blob)),
    Promise.all(folders.map((part) => loadFolder(context, kind, part))),
  ]);
  const read = notes.map((id, at) => {
    const object = objects[at];
    return StoredNote.read(kind, id, object?.type === 'blob' ? object.bytes : null, context.objectFormat);
  });
  if (read.some(({ needsSchema }) => needsSchema)) await loadSchemas();
  const entries = new Map<string, Entry<T>>();
  let [noteAt, treeAt] = [0, 0];
  rows.forEach(({ mode, name, oid }, at) => {
    const part = parts[at] ?? null;
    if (part === null || 'entry' in part) entries.set(name, part?.entry ?? { mode, oid, tree: null, note: null });
    else if ('blob' in part) entries.set(name, { mode, oid, tree: null, note: read[noteAt++] ?? null });
    else entries.set(name, { mode, oid, tree: trees[treeAt++] ?? null, note: null });
  });
  return { oid: folder.oid, entries };
}

type Entry<T> = TreeEntry<StoredNote<T>>;
type Row = ReturnType<typeof parseTree>[number];
/** A row of a folder: a note to be read, a folder below it, or what needs no reading; null: nothing of ours. */
type Part<T> = NoteId | Folder<T> | { readonly entry: Entry<T> } | null;

function partOf<T>(context: LoadContext, kind: NoteKind<T>, folder: Folder<T>, row: Row): Part<T> {
  const { mode, name, oid } = row;
  const old = folder.old?.entries.get(name);
  if (old !== undefined && old.oid === oid && old.mode === mode) return { entry: old };
  const prefix = folderPrefix(folder.prefix, row);
  if (prefix !== undefined) return { oid, prefix, old: old?.tree ?? null };
  const key = `${folder.prefix ?? '-'}${name}`;
  if (mode === noteFolderMode || !isKey(key, context.objectFormat)) return null;
  const id = { key: key as ObjectId, blob: oid };
  if (context.isWanted?.(id.key) !== false) return id;
  return { entry: { mode, oid, tree: null, note: StoredNote.unread(kind, id) } };
}

/** undefined: not a folder that may hold notes or anchors; it's kept unread. */
function folderPrefix(prefix: string | null, { mode, name }: Row): string | null | undefined {
  if (mode !== noteFolderMode) return undefined;
  if (prefix === null || (prefix === '' && name === anchorsFolder)) return null;
  return /^[0-9a-f]{2}$/.test(name) && prefix.length < 38 ? `${prefix}${name}` : undefined;
}

function isKey(text: string, format: ObjectHashFormat): boolean {
  return text.length === (format === 'sha1' ? 40 : 64) && /^[0-9a-f]+$/.test(text);
}

async function readObject<T>(context: LoadContext, kind: NoteKind<T>, oid: ObjectId, type: string): Promise<Buffer> {
  const object = await context.catFile.read(oid).catch((cause: unknown) => {
    throw stateCorrupt(kind.ref, oid, 'is damaged', cause);
  });
  if (object === null) throw stateCorrupt(kind.ref, oid, 'is missing');
  if (object.type !== type) throw stateCorrupt(kind.ref, oid, `is a ${object.type}, not a ${type}`);
  return object.bytes;
}

function parseRows<T>(context: LoadContext, kind: NoteKind<T>, oid: ObjectId, bytes: Buffer): readonly Row[] {
  try {
    return parseTree(bytes, context.objectFormat === 'sha1' ? 20 : 32);
  } catch (cause) {
    throw stateCorrupt(kind.ref, oid, 'is not a readable tree', cause);
  }
}

/** Files of a project, say: without a single note or anchor, and more than a `format` entry. */
function isForeign<T>(root: TreeNode<StoredNote<T>>): boolean {
  const ownNames = [...root.entries].filter(
    ([name, entry]) => entry.note !== null || entry.tree !== null || name === 'format',
  );
  return root.entries.size > 0 && ownNames.length === 0;
}
