import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { ValidationNote } from '../../domain/state/verdict.ts';
import type { Note } from '../notes/note.ts';
import {
  anchorsFolder,
  anchorsIn,
  findNotes,
  listNotes,
  type TreeEdit,
  type TreeNode,
} from '../notes/note-tree.ts';

type Root<T> = TreeNode<Note<T>> | null;
type Edits<T> = readonly TreeEdit<Note<T>>[];

/** Notes of an archived session on one ref, and the edits that remove them. */
export interface SessionNotes<T> {
  readonly notes: readonly Note<T>[];
  /** False: a note is missing, there twice or can't be read, so that moving it could lose it. */
  readonly isWhole: boolean;
  readonly removal: Edits<T>;
}

/** The tasks of a session, by its anchors. */
export function taskNotesOf<T>(root: Root<T>, session: SessionId): SessionNotes<T> {
  const folder = root?.entries.get(anchorsFolder)?.tree?.entries.get(session)?.tree ?? null;
  const places = [...(folder?.entries.values() ?? [])].map(({ oid }) => findNotes(root, oid));
  const notes = places.flatMap((found) => found.map(({ note }) => note));
  return {
    notes,
    isWhole: places.every((found) => found.length === 1) && notes.every(({ value }) => value !== null),
    removal: [
      ...places.flatMap((found) => found.map(({ path }) => ({ path, entry: null }))),
      ...(folder === null ? [] : [{ path: [anchorsFolder, session], entry: null }]),
    ],
  };
}

/** Finds the notes for later tasks of a session, by its anchors; only pages whose key `isMeant` accepts. */
export function pageNotesOf<T>(
  root: Root<T>,
  session: SessionId,
  isMeant: (key: ObjectId) => boolean = () => true,
): SessionNotes<T> & {
  readonly anchors: readonly { readonly path: readonly string[]; readonly key: ObjectId }[];
} {
  const folder = root?.entries.get(anchorsFolder)?.tree?.entries.get(session)?.tree ?? null;
  const anchors = [...anchorsIn(folder, [session])]
    .map(({ name, key }) => ({ path: name.split('/'), key }))
    .filter(({ key }) => isMeant(key));
  const places = anchors.map(({ key }) => findNotes(root, key));
  const notes = places.flatMap((found) => found.map(({ note }) => note));
  return {
    notes,
    anchors,
    isWhole: places.every((found) => found.length === 1) && notes.every(({ value }) => value !== null),
    removal: [
      ...places.flatMap((found) => found.map(({ path }) => ({ path, entry: null }))),
      ...anchors.map(({ path }) => ({ path: [anchorsFolder, ...path], entry: null })),
    ],
  };
}

/** The verdicts on commits that only archived sessions judged. */
export function validationNotesOf(
  root: Root<ValidationNote>,
  isArchived: (session: SessionId) => boolean,
): SessionNotes<ValidationNote> {
  const notes = [...listNotes(root)].filter((note) => {
    const verdicts = mentioned(note);
    return verdicts.length > 0 && verdicts.every(isArchived) && findNotes(root, note.key).length === 1;
  });
  return {
    notes,
    isWhole: true,
    removal: notes.flatMap(({ key }) => findNotes(root, key).map(({ path }) => ({ path, entry: null }))),
  };
}

/** Looks at the note unchecked first: most have nothing to do with an archived session. */
function mentioned(note: Note<ValidationNote>): readonly SessionId[] {
  return note.value?.verdicts.map(({ session }) => session) ?? [];
}

/** The commits verdicts are about. */
export function keysOf<T>({ notes }: SessionNotes<T>): readonly ObjectId[] {
  return notes.map(({ key }) => key);
}
