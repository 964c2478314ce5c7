import type { Task } from '../../domain/state/task.ts';
import { addTo, byText } from '../../util/sort-and-group.ts';
import type { Note } from './note.ts';
import { diffNotes, findNotes, listNotes, type TreeNode } from './note-tree.ts';

/** The notes of each session's tasks, by task id. */
export type TaskIndex = ReadonlyMap<string, readonly Note<Task>[]>;

type Root = TreeNode<Note<Task>> | null;
interface Changes {
  readonly gone: Set<Note<Task>>;
  readonly added: Note<Task>[];
}

/** Brings an index from one tree to the next. Notes that can't be filed (bad header, filed twice) are left out. */
export function indexTasks(index: TaskIndex, before: Root, after: Root): TaskIndex {
  if (before?.oid === after?.oid) return index;
  if (before === null) return indexAll(after);
  const { gone, added } = diffNotes(before, after);
  const went = new Map(gone.map((note) => [note.key, note]));
  const bySession = new Map<string, Changes>();
  const changesOf = (note: Note<Task>): Changes => {
    const session = String(note.json?.session ?? '');
    const known = bySession.get(session) ?? { gone: new Set(), added: [] };
    bySession.set(session, known);
    return known;
  };
  // A second note on a key also withdraws the first one, and the last one left comes back.
  const came = new Set(added.map((note) => note.key));
  for (const key of new Set([...went.keys(), ...came])) {
    const now = findNotes(after, key);
    const one = went.get(key);
    // Alone on its key and new there: nothing else of that key is left.
    if (one !== undefined && came.has(key) && now.length === 1) changesOf(one).gone.add(one);
    else for (const { note } of findNotes(before, key)) changesOf(note).gone.add(note);
    for (const { note } of now.length === 1 ? now : []) changesOf(note).added.push(note);
  }
  bySession.delete('');
  const next = new Map(index);
  for (const [session, changes] of bySession) next.set(session, merge(index.get(session) ?? [], changes));
  return next;
}

function indexAll(root: Root): TaskIndex {
  const byKey = new Map<string, Note<Task> | null>();
  for (const note of listNotes(root)) byKey.set(note.key, byKey.has(note.key) ? null : note);
  const index = new Map<string, Note<Task>[]>();
  for (const note of byKey.values()) {
    const session = String(note?.json?.session ?? '');
    if (note === null || session === '') continue;
    addTo(index, session, note);
  }
  for (const rows of index.values()) rows.sort((a, b) => byText(idOf(a), idOf(b)));
  return index;
}

function merge(rows: readonly Note<Task>[], { gone, added }: Changes): readonly Note<Task>[] {
  const result = [...rows];
  const fresh: Note<Task>[] = [];
  for (const note of added) {
    const at = search(rows, idOf(note));
    const old = at === null ? undefined : rows[at];
    if (at === null || old === undefined) fresh.push(note);
    else {
      result[at] = note;
      gone.delete(old);
    }
  }
  if (gone.size === 0 && fresh.length === 0) return result;
  return [...result.filter((note) => !gone.has(note)), ...fresh].sort((a, b) => byText(idOf(a), idOf(b)));
}

/** The position of a task in the sorted rows. */
function search(rows: readonly Note<Task>[], id: string): number | null {
  let low = 0;
  let high = rows.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    const other = row === undefined ? '' : idOf(row);
    if (other === id) return middle;
    if (other < id) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}

function idOf(note: Note<Task>): string {
  return String(note.json?.id ?? '');
}
