import {
  keepArchivedSession,
  keepArchivedTask,
  keepSpendingAndDecisions,
  keepTaskEnd,
} from '../../core/merge/keep-ended-state.ts';
import {
  mergeBlackboardPages,
  mergeMemoryEntries,
  mergeReviewNotes,
  mergeSignatureNotes,
  mergeValidationNotes,
} from '../../core/merge/merge-other-notes.ts';
import { mergeSessionNotes } from '../../core/merge/merge-session-notes.ts';
import { mergeTaskNotes } from '../../core/merge/merge-task-notes.ts';
import { combinePreferences, type LostValue, type MergedNote, mergeValue } from '../../core/merge/merge-values.ts';
import {
  blackboardNoteKind,
  memoryNoteKind,
  type NoteKind,
  noteKindsInArchive,
  reviewNoteKind,
  sessionNoteKind,
  signatureNoteKind,
  taskNoteKind,
  validationNoteKind,
} from '../notes/note-kinds.ts';
import type { ObjectSink, TreeEdit, TreeNode } from '../notes/note-tree.ts';
import { listKnownNoteKeys, renderNote } from '../notes/render-note.ts';
import { StoredNote } from '../notes/stored-note.ts';

type MergeValues<T> = (base: T | null, ours: T, theirs: T) => MergedNote<T>;
type Json = Readonly<Record<string, unknown>>;

/** A kind of note and how two versions of one become one. */
export interface NoteMergeRules<T> {
  readonly kind: NoteKind<T>;
  readonly merge: MergeValues<T>;
  /** Corrects the version of one side: restores what it can't have undone. */
  readonly admit?: (before: T, after: T) => MergedNote<T>;
  /** Edits that remove notes of archived sessions from the merged tree, even if a side has them. */
  readonly removal?: (root: TreeNode<StoredNote<T>> | null) => readonly TreeEdit<StoredNote<T>>[];
}

export const noteMergeRules = {
  sessions: { kind: sessionNoteKind, merge: mergeSessionNotes, admit: keepSpendingAndDecisions },
  tasks: { kind: taskNoteKind, merge: mergeTaskNotes, admit: keepTaskEnd },
  validations: { kind: validationNoteKind, merge: mergeValidationNotes },
  reviews: { kind: reviewNoteKind, merge: mergeReviewNotes },
  blackboard: { kind: blackboardNoteKind, merge: mergeBlackboardPages },
  memory: { kind: memoryNoteKind, merge: mergeMemoryEntries },
  signatures: { kind: signatureNoteKind, merge: mergeSignatureNotes },
  archivedSessions: { kind: noteKindsInArchive.sessions, merge: mergeSessionNotes, admit: keepArchivedSession },
  archivedTasks: { kind: noteKindsInArchive.tasks, merge: mergeTaskNotes, admit: keepArchivedTask },
  archivedValidations: { kind: noteKindsInArchive.validations, merge: mergeValidationNotes },
  archivedBlackboard: { kind: noteKindsInArchive.blackboard, merge: mergeBlackboardPages },
} as const;

/** Merges two readable versions of a note; the blob goes to the sink. Keys this version doesn't know stay. */
export function mergeNote<T>(
  { kind, merge, admit = asItIs }: NoteMergeRules<T>,
  notes: {
    readonly base: StoredNote<T> | null;
    readonly ours: StoredNote<T>;
    readonly theirs: StoredNote<T>;
  },
  sink: ObjectSink,
): { readonly note: StoredNote<T>; readonly lost: readonly LostValue[] } {
  const { base, ours, theirs } = notes;
  const [left, right] = [ours.value, theirs.value];
  if (left === null || right === null) throw new Error('only readable notes are merged');
  const before = base?.value ?? null;
  const [mine, other] = [admit(before ?? right, left), admit(before ?? left, right)];
  const { value, lost } = merge(before, mine.value, other.value);
  const unknown = mergeUnknown(kind, base?.json ?? {}, ours.json ?? {}, theirs.json ?? {});
  const body = renderNote(kind, value, { json: unknown });
  const blob = sink('blob', body.text).oid;
  const note = StoredNote.written(kind, { key: ours.key, blob }, body.json, body.value);
  return { note, lost: [...mine.lost, ...other.lost, ...lost] };
}

/** Admits the version of one side alone; returns the same note where nothing of it is restored. */
export function admitOneSidedVersion<T>(
  { kind, admit = asItIs }: NoteMergeRules<T>,
  before: StoredNote<T>,
  after: StoredNote<T>,
  sink: ObjectSink,
): { readonly note: StoredNote<T>; readonly lost: readonly LostValue[] } {
  if (before.value === null || after.value === null) return { note: after, lost: [] };
  const { value, lost } = admit(before.value, after.value);
  if (value === after.value) return { note: after, lost: [] };
  const body = renderNote(kind, value, after);
  const blob = sink('blob', body.text).oid;
  return { note: StoredNote.written(kind, { key: after.key, blob }, body.json, body.value), lost };
}

function asItIs<T>(_: T, after: T): MergedNote<T> {
  return { value: after, lost: [] };
}

/** Keys of a later version: in name order, so that both clones write the same. */
function mergeUnknown<T>(kind: NoteKind<T>, base: Json, ours: Json, theirs: Json): Json {
  const known = new Set(listKnownNoteKeys(kind));
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter((key) => !known.has(key));
  const entries = names.sort().map((key): [string, unknown] => {
    if (!Object.hasOwn(theirs, key)) return [key, ours[key]];
    if (!Object.hasOwn(ours, key)) return [key, theirs[key]];
    const sides = { base: base[key], ours: ours[key], theirs: theirs[key] };
    return [key, mergeValue(sides, combinePreferences()).value];
  });
  return Object.fromEntries(entries);
}
