import {
  admitArchivedSession,
  admitArchivedTask,
  admitSession,
  admitTask,
} from '../../core/merge/admit-change.ts';
import {
  mergeBlackboard,
  mergeMemory,
  mergeReview,
  mergeSignatures,
  mergeValidation,
} from '../../core/merge/merge-notes.ts';
import { mergeSession } from '../../core/merge/merge-session.ts';
import { mergeTask } from '../../core/merge/merge-task.ts';
import { byPreference, chooseValue, type LostValue, type Merged } from '../../core/merge/merge-values.ts';
import { Note } from '../notes/note.ts';
import {
  archiveNotes,
  blackboardNotes,
  memoryNotes,
  type NoteKind,
  reviewNotes,
  sessionNotes,
  signatureNotes,
  taskNotes,
  validationNotes,
} from '../notes/note-kinds.ts';
import type { ObjectSink, TreeEdit, TreeNode } from '../notes/note-tree.ts';
import { keysOf, renderNote } from '../notes/render-note.ts';

type MergeValues<T> = (base: T | null, ours: T, theirs: T) => Merged<T>;
type Json = Readonly<Record<string, unknown>>;

/** A kind of note and how two versions of one become one. */
export interface MergeKind<T> {
  readonly kind: NoteKind<T>;
  readonly merge: MergeValues<T>;
  /** Corrects the version of one side: restores what it can't have undone. */
  readonly admit?: (before: T, after: T) => Merged<T>;
  /** Edits that remove notes of archived sessions from the merged tree, even if a side has them. */
  readonly removal?: (root: TreeNode<Note<T>> | null) => readonly TreeEdit<Note<T>>[];
}

export const mergeKinds = {
  sessions: { kind: sessionNotes, merge: mergeSession, admit: admitSession },
  tasks: { kind: taskNotes, merge: mergeTask, admit: admitTask },
  validations: { kind: validationNotes, merge: mergeValidation },
  reviews: { kind: reviewNotes, merge: mergeReview },
  blackboard: { kind: blackboardNotes, merge: mergeBlackboard },
  memory: { kind: memoryNotes, merge: mergeMemory },
  signatures: { kind: signatureNotes, merge: mergeSignatures },
  archivedSessions: { kind: archiveNotes.sessions, merge: mergeSession, admit: admitArchivedSession },
  archivedTasks: { kind: archiveNotes.tasks, merge: mergeTask, admit: admitArchivedTask },
  archivedValidations: { kind: archiveNotes.validations, merge: mergeValidation },
  archivedBlackboard: { kind: archiveNotes.blackboard, merge: mergeBlackboard },
} as const;

/** Merges two readable versions of a note; the blob goes to the sink. Keys this version doesn't know stay. */
export function mergeNote<T>(
  { kind, merge, admit = asItIs }: MergeKind<T>,
  notes: { readonly base: Note<T> | null; readonly ours: Note<T>; readonly theirs: Note<T> },
  sink: ObjectSink,
): { readonly note: Note<T>; readonly lost: readonly LostValue[] } {
  const { base, ours, theirs } = notes;
  const [left, right] = [ours.value, theirs.value];
  if (left === null || right === null) throw new Error('only readable notes are merged');
  const before = base?.value ?? null;
  const [mine, other] = [admit(before ?? right, left), admit(before ?? left, right)];
  const { value, lost } = merge(before, mine.value, other.value);
  const unknown = mergeUnknown(kind, base?.json ?? {}, ours.json ?? {}, theirs.json ?? {});
  const body = renderNote(kind, value, { json: unknown });
  const blob = sink('blob', body.text).oid;
  const note = Note.written(kind, { key: ours.key, blob }, body.json, body.value);
  return { note, lost: [...mine.lost, ...other.lost, ...lost] };
}

/** Admits the version of one side alone; returns the same note where nothing of it is restored. */
export function admitNote<T>(
  { kind, admit = asItIs }: MergeKind<T>,
  before: Note<T>,
  after: Note<T>,
  sink: ObjectSink,
): { readonly note: Note<T>; readonly lost: readonly LostValue[] } {
  if (before.value === null || after.value === null) return { note: after, lost: [] };
  const { value, lost } = admit(before.value, after.value);
  if (value === after.value) return { note: after, lost: [] };
  const body = renderNote(kind, value, after);
  const blob = sink('blob', body.text).oid;
  return { note: Note.written(kind, { key: after.key, blob }, body.json, body.value), lost };
}

function asItIs<T>(_: T, after: T): Merged<T> {
  return { value: after, lost: [] };
}

/** Keys of a later version: in name order, so that both clones write the same. */
function mergeUnknown<T>(kind: NoteKind<T>, base: Json, ours: Json, theirs: Json): Json {
  const known = new Set(keysOf(kind));
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter((key) => !known.has(key));
  const entries = names.sort().map((key): [string, unknown] => {
    if (!Object.hasOwn(theirs, key)) return [key, ours[key]];
    if (!Object.hasOwn(ours, key)) return [key, theirs[key]];
    const sides = { base: base[key], ours: ours[key], theirs: theirs[key] };
    return [key, chooseValue(sides, byPreference()).value];
  });
  return Object.fromEntries(entries);
}
