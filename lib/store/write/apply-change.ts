import * as z from 'zod';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { StateChange } from '../../domain/ports/store-port.ts';
import type { ValidationNote } from '../../domain/state/verdict.ts';
import { makeUnwrittenObject, type ObjectHashFormat, type UnwrittenObject } from '../../git/objects/make-object.ts';
import type { RefState, RefStates } from '../notes/indexed-state.ts';
import { blackboardAnchor, computeNoteKey, type NoteAnchor, sessionAnchor, taskAnchor } from '../notes/note-kinds.ts';
import {
  anchorsFolder,
  editNoteTree,
  findNotesByKey,
  NotAFolderError,
  noteFileMode,
  notePath,
  type ObjectSink,
  type TreeEdit,
} from '../notes/note-tree.ts';
import { renderNote } from '../notes/render-note.ts';
import { describeIssues, noteVersion, StoredNote } from '../notes/stored-note.ts';
import { stateCorrupt } from '../store-errors.ts';
import type { StoreOptions } from '../store-options.ts';
import { type CommitIdentity, type NonStateAuditEntry, readCommitIdentity, renderAuditMessage } from './audit-entry.ts';

/**
 * The state after a change: one new commit on each ref it touches. Moves nothing yet. Throws FlameError
 * `state-corrupt` rather than replace a note of a session or task that can't be read, `state-invalid` for values no reader would take.
 */
export function applyStateChange(state: RefStates, change: StateChange, context: ChangeContext): RefStates {
  const format = context.objectFormat;
  const updated_at = context.now.toISOString();
  const { tasks = [], session, review, page } = change;
  const taskWrites = tasks.map((task) => ({
    ...pairNoteKeyWithAnchor(format, taskAnchor(task.session, task.id)),
    next: (_: unknown, rev: number) => ({ ...task, rev, updated_at }),
  }));
  const sessionWrites = (session === undefined ? [] : [session]).map((value) => ({
    ...pairNoteKeyWithAnchor(format, sessionAnchor(value.id)),
    next: (_: unknown, rev: number) => ({ ...value, rev, updated_at }),
  }));
  const reviewWrites = (review === undefined ? [] : [review]).map(({ commit, note }) => ({
    key: commit,
    anchor: null,
    next: (_: unknown, rev: number) => ({ ...note, rev }),
  }));
  const pageWrites = (page === undefined ? [] : [page]).map((value) => ({
    ...pairNoteKeyWithAnchor(format, blackboardAnchor(value.session, value.task)),
    next: (_: unknown, rev: number) => ({ ...value, rev }),
  }));
  return {
    sessions: writeNotes(state.sessions, sessionWrites, change, context),
    tasks: writeNotes(state.tasks, taskWrites, change, context),
    validations: writeNotes(state.validations, validationWrites(change), change, context),
    reviews: writeNotes(state.reviews, reviewWrites, change, context),
    blackboard: writeNotes(state.blackboard, pageWrites, change, context),
  };
}

/** Key that a note with an anchor is filed under. */
export function pairNoteKeyWithAnchor(
  format: ObjectHashFormat,
  anchor: NoteAnchor,
): { key: ObjectId; anchor: NoteAnchor } {
  return { key: computeNoteKey(format, anchor), anchor };
}

/** One ref with these notes written, as one new commit; as it was without any. */
export function writeNotes<T extends { readonly rev: number }>(
  state: RefState<T>,
  writes: readonly NoteWrite<T>[],
  change: StateChange | NonStateAuditEntry,
  context: ChangeContext,
): RefState<T> {
  if (writes.length === 0) return state;
  const revs = new Set<number>();
  const edits = writes.flatMap((write) => {
    const { rev, edits: own } = editsFor(state, write, context);
    revs.add(rev);
    return own;
  });
  const root = editNoteTreeChecked(state, edits, context.sink);
  const rev = revs.size === 1 ? ([...revs][0] ?? null) : null;
  const message = renderAuditMessage(change, { actor: context.actor, host: context.host, rev });
  const parents = state.tip === null ? [] : [state.tip];
  const tip = context.sink('commit', renderStateCommit(root?.oid ?? null, parents, message, context)).oid;
  return { ...state, tip, root };
}

function editsFor<T extends { readonly rev: number }>(
  state: RefState<T>,
  write: NoteWrite<T>,
  context: ChangeContext,
): { readonly rev: number; readonly edits: readonly TreeEdit<StoredNote<T>>[] } {
  const places = findNotesByKey(state.root, write.key);
  const stored = storedNote(state, places);
  const rev = (stored?.value?.rev ?? 0) + 1;
  const body = renderChecked(state, write.next(stored?.value ?? null, rev), stored);
  const blob = context.sink('blob', body.text).oid;
  const note = StoredNote.written(state.kind, { key: write.key, blob }, body.json, body.value);
  const path = notePath(write.key);
  const entry = { mode: noteFileMode, oid: blob, tree: null, note };
  // Other tools divide the tree otherwise: the note moves to where this one writes it.
  const moved = places.filter((place) => place.path.join('/') !== path.join('/'));
  return {
    rev,
    edits: [
      ...moved.map((place) => ({ path: place.path, entry: null })),
      { path, entry },
      ...anchorEdits(state, write, context),
    ],
  };
}

function storedNote<T>(state: RefState<T>, places: readonly { readonly note: StoredNote<T> }[]): StoredNote<T> | null {
  const [place, other] = places;
  if (place === undefined) return null;
  // Notes on commits can be made again: damage there stops nothing, and stays in the history.
  if (state.kind.anchor === null && !places.some(({ note }) => note.isNewer)) return newestOf(places);
  const { blob, key, problem } = place.note;
  if (other !== undefined) throw stateCorrupt(state.kind.ref, blob, `is one of several notes on ${key}`);
  if (problem !== null) throw stateCorrupt(state.kind.ref, blob, problem);
  return place.note;
}

/** Picks the readable note that was changed most. */
function newestOf<T>(places: readonly { readonly note: StoredNote<T> }[]): StoredNote<T> | null {
  const readable = places.map(({ note }) => note).filter(({ value }) => value !== null);
  const revision = ({ json }: StoredNote<T>): number => Number(json?.rev ?? 0);
  return readable.sort((a, b) => revision(b) - revision(a))[0] ?? null;
}

/** The link that keeps the annotated blob alive and names the key; put back where another tool dropped it. */
function anchorEdits<T>(
  state: RefState<T>,
  { anchor, key }: NoteWrite<T>,
  context: ChangeContext,
): TreeEdit<StoredNote<T>>[] {
  if (anchor === null) return [];
  const path = [anchorsFolder, ...anchor.path];
  let folder = state.root;
  for (const name of path.slice(0, -1)) folder = folder?.entries.get(name)?.tree ?? null;
  if (folder?.entries.get(path.at(-1) ?? '')?.oid === key) return [];
  context.sink('blob', anchor.text);
  return [{ path, entry: { mode: noteFileMode, oid: key, tree: null, note: null } }];
}

function renderChecked<T>(state: RefState<T>, value: T, stored: StoredNote<T> | null) {
  try {
    return renderNote(state.kind, value, stored);
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw cause;
    throw new FlameError({
      kind: 'internal',
      code: 'state-invalid',
      message: `A note for ${state.kind.ref} was not written, because it is not valid: ${describeIssues(cause)}.`,
      hints: ['git flame doctor'],
      cause,
    });
  }
}

/** editNoteTree, its trouble as a FlameError `state-corrupt`. */
export function editNoteTreeChecked<T>(
  state: RefState<T>,
  edits: readonly TreeEdit<StoredNote<T>>[],
  sink: ObjectSink,
): RefState<T>['root'] {
  try {
    return editNoteTree(state.root, edits, sink);
  } catch (cause) {
    if (!(cause instanceof NotAFolderError)) throw cause;
    const problem = `has a file '${cause.message}' where a folder of notes belongs`;
    throw stateCorrupt(state.kind.ref, state.tip ?? '', problem, cause);
  }
}

/** Renders a commit on a state ref in the person's name; null: an empty tree. */
export function renderStateCommit(
  tree: ObjectId | null,
  parents: readonly ObjectId[],
  message: string,
  { identity, now, objectFormat }: ChangeContext,
): string {
  const time = `${Math.floor(now.getTime() / 1000)} ${identity.zone}`;
  return [
    `tree ${tree ?? makeUnwrittenObject(objectFormat, 'tree', '').oid}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${identity.author} ${time}`,
    `committer ${identity.committer} ${time}`,
    '',
    message,
  ].join('\n');
}

/** Writes for the note on a judged commit: a verdict, or the checks run once more. */
function validationWrites({ verdict, verification }: StateChange): readonly NoteWrite<ValidationNote>[] {
  return [
    ...(verdict === undefined ? [] : [write(verdict.commit, { verdicts: [verdict] })]),
    ...(verification === undefined ? [] : [write(verification.commit, { verifications: [verification] })]),
  ];
}

function write(
  key: NoteWrite<ValidationNote>['key'],
  added: Partial<Pick<ValidationNote, 'verdicts' | 'verifications'>>,
): NoteWrite<ValidationNote> {
  return {
    key,
    anchor: null,
    next: (stored, rev) => {
      const verifications = [...(stored?.verifications ?? []), ...(added.verifications ?? [])];
      return {
        v: noteVersion,
        rev,
        verdicts: [...(stored?.verdicts ?? []), ...(added.verdicts ?? [])],
        ...(verifications.length === 0 ? {} : { verifications }),
      };
    },
  };
}

export interface ChangeContext {
  readonly actor: string;
  readonly host: string | null;
  readonly identity: CommitIdentity;
  readonly now: Date;
  readonly objectFormat: ObjectHashFormat;
  readonly sink: ObjectSink;
}

/** Context of one change by `actor`, and the objects it makes: they are written before refs move. */
export async function openChangeContext(
  options: Pick<StoreOptions, 'context' | 'hostname' | 'idents' | 'now' | 'objectFormat'>,
  actor: string,
): Promise<{ readonly changing: ChangeContext; readonly objects: ReadonlyMap<string, UnwrittenObject> }> {
  const { objectFormat, hostname, now = () => new Date() } = options;
  const { sink, objects } = collectObjects(objectFormat);
  const identity = await readCommitIdentity(options);
  return { changing: { actor, host: hostname ?? null, now: now(), objectFormat, identity, sink }, objects };
}

/** Makes objects that are not written yet, each once. */
export function collectObjects(
  format: ObjectHashFormat,
  objects = new Map<string, UnwrittenObject>(),
): { readonly sink: ObjectSink; readonly objects: ReadonlyMap<string, UnwrittenObject> } {
  const sink: ObjectSink = (type, content) => {
    const object = makeUnwrittenObject(format, type, content);
    objects.set(object.oid, object);
    return object;
  };
  return { sink, objects };
}

/** Writes on one ref: each note's key and how its next value follows from the stored one. */
export interface NoteWrite<T> {
  readonly key: ObjectId;
  readonly anchor: NoteAnchor | null;
  readonly next: (stored: T | null, rev: number) => T;
}
