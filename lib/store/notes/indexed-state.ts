import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { Snapshot, StateTips, UnusableNote } from '../../domain/ports/store-port.ts';
import type { BlackboardPage } from '../../domain/state/blackboard.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { DiagnosticsRerun, ReviewNote, ValidationNote, Verdict } from '../../domain/state/verdict.ts';
import { addToListOfKey, compareText } from '../../util/sort-and-group.ts';
import {
  blackboardNoteKind,
  type NoteKind,
  reviewNoteKind,
  sessionNoteKind,
  taskNoteKind,
  validationNoteKind,
} from './note-kinds.ts';
import { diffNotes, findNotesByKey, listAnchors, listNotes, type TreeNode } from './note-tree.ts';
import type { StoredNote } from './stored-note.ts';

/** One state ref at one moment. */
export interface RefState<T> {
  readonly kind: NoteKind<T>;
  /** null: the ref does not exist. */
  readonly tip: ObjectId | null;
  readonly root: TreeNode<StoredNote<T>> | null;
}

/** All state refs at one moment; immutable, sharing what didn't change with those before. */
export interface RefStates {
  readonly sessions: RefState<Session>;
  readonly tasks: RefState<Task>;
  readonly validations: RefState<ValidationNote>;
  readonly reviews: RefState<ReviewNote>;
  readonly blackboard: RefState<BlackboardPage>;
}

/** The state of all refs with an index of each session's tasks. */
export interface IndexedState extends RefStates {
  readonly taskIndex: TaskNoteIndex;
}

export const emptyIndexedState: IndexedState = {
  sessions: { kind: sessionNoteKind, tip: null, root: null },
  tasks: { kind: taskNoteKind, tip: null, root: null },
  validations: { kind: validationNoteKind, tip: null, root: null },
  reviews: { kind: reviewNoteKind, tip: null, root: null },
  blackboard: { kind: blackboardNoteKind, tip: null, root: null },
  taskIndex: new Map(),
};

/** The next state, its index brought along: the cost depends on what changed, not on the number of notes. */
export function advanceIndexedState(previous: IndexedState, refs: RefStates): IndexedState {
  return {
    ...refs,
    taskIndex: updateTaskNoteIndex(previous.taskIndex, previous.tasks.root, refs.tasks.root),
  };
}

/** All state refs, in the order transactions move them. */
function listStateRefs({ sessions, tasks, validations, reviews, blackboard }: RefStates): readonly RefState<unknown>[] {
  return [sessions, tasks, validations, reviews, blackboard];
}

/** Tip of each state ref. */
export function collectStateTips(state: IndexedState): StateTips {
  return new Map(listStateRefs(state).map(({ kind, tip }) => [kind.ref, tip]));
}

const snapshots = new WeakMap<IndexedState, StateSnapshot>();

/** The snapshot of a state: its lists are made once, however often it is looked at. */
export function openStateSnapshot(state: IndexedState): Snapshot {
  const snapshot = snapshots.get(state) ?? new StateSnapshot(state);
  snapshots.set(state, snapshot);
  return snapshot;
}

/** The state as commands see it; lists are made when asked for. */
export class StateSnapshot implements Snapshot {
  readonly #state: IndexedState;
  readonly #tasks = new Map<string, readonly Task[]>();
  #sessions: readonly Session[] | null = null;
  #problems: readonly UnusableNote[] | null = null;

  readonly tips: StateTips;

  /** `tips`: of a state that was read in part, where all refs stood. */
  constructor(state: IndexedState, tips = collectStateTips(state)) {
    this.#state = state;
    this.tips = tips;
  }

  /** Oldest first. */
  get sessions(): readonly Session[] {
    this.#sessions ??= [...listNotes(this.#state.sessions.root)]
      .filter((note) => findNotesByKey(this.#state.sessions.root, note.key).length === 1)
      .flatMap((note) => note.value ?? [])
      .sort((a, b) => compare(a.created_at, b.created_at) || compare(a.id, b.id));
    return this.#sessions;
  }

  get current(): Session | null {
    return this.sessions.findLast(({ state }) => state === 'active') ?? this.sessions.at(-1) ?? null;
  }

  tasksOf(session: SessionId): readonly Task[] {
    const known = this.#tasks.get(session);
    if (known !== undefined) return known;
    const tasks: Task[] = [];
    for (const note of this.#state.taskIndex.get(session) ?? []) {
      if (note.value !== null) tasks.push(note.value);
    }
    this.#tasks.set(session, tasks);
    return tasks;
  }

  verdictsOn(commit: ObjectId): readonly Verdict[] {
    return findSingleNote(this.#state.validations, commit)?.value?.verdicts ?? [];
  }

  verdictsOf(session: SessionId): readonly Verdict[] {
    return [...listNotes(this.#state.validations.root)]
      .flatMap((note) => note.value?.verdicts ?? [])
      .filter((verdict) => verdict.session === session)
      .sort((a, b) => compare(a.at, b.at));
  }

  verificationsOn(commit: ObjectId): readonly DiagnosticsRerun[] {
    return findSingleNote(this.#state.validations, commit)?.value?.verifications ?? [];
  }

  reviewOn(commit: ObjectId): ReviewNote | null {
    return findSingleNote(this.#state.reviews, commit)?.value ?? null;
  }

  blackboardOf(session: SessionId): readonly BlackboardPage[] {
    return [...listNotes(this.#state.blackboard.root)]
      .filter((note) => findNotesByKey(this.#state.blackboard.root, note.key).length === 1)
      .flatMap((note) => (note.json?.session === session ? (note.value ?? []) : []))
      .sort((a, b) => compare(a.task ?? '', b.task ?? ''));
  }

  /** Checks every note; on 10,000 tasks this takes a fraction of a second the first time. */
  get problems(): readonly UnusableNote[] {
    this.#problems ??= listStateRefs(this.#state).flatMap((ref) => listUnusableNotes(ref));
    return this.#problems;
  }
}

/** The note under a key; null if there is none, or more than one. */
export function findSingleNote<T>(state: RefState<T>, key: ObjectId): StoredNote<T> | null {
  const found = findNotesByKey(state.root, key);
  return found.length === 1 ? (found[0]?.note ?? null) : null;
}

/** Lists the notes of a ref that can't be used. */
export function listUnusableNotes<T>(state: RefState<T>): UnusableNote[] {
  const found: UnusableNote[] = [];
  const notes = listNotes(state.root);
  const counts = new Map<ObjectId, number>();
  for (const { key } of notes) counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const note of notes) {
    const isTwice = (counts.get(note.key) ?? 0) > 1;
    const message = isTwice ? `is one of several notes on ${note.key}` : note.problem;
    if (message !== null) found.push({ ref: state.kind.ref, object: note.blob, key: note.key, message });
  }
  return [...found, ...lostNotes(state, counts)];
}

/** The note an anchor refers to must exist: one that is gone, or is where none can be, is damage. */
function lostNotes<T>(state: RefState<T>, keys: ReadonlyMap<ObjectId, number>): UnusableNote[] {
  return listAnchors(state.root, (key) => !keys.has(key)).map(({ name, key }) => {
    const message = `is the anchor of ${name}, whose note is missing`;
    return { ref: state.kind.ref, object: key, key, message };
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The notes of each session's tasks, by task id. */
export type TaskNoteIndex = ReadonlyMap<string, readonly StoredNote<Task>[]>;

type Root = TreeNode<StoredNote<Task>> | null;
interface Changes {
  readonly gone: Set<StoredNote<Task>>;
  readonly added: StoredNote<Task>[];
}

/** Brings an index from one tree to the next. Notes that can't be filed (bad header, filed twice) are left out. */
export function updateTaskNoteIndex(index: TaskNoteIndex, before: Root, after: Root): TaskNoteIndex {
  if (before?.oid === after?.oid) return index;
  if (before === null) return indexAll(after);
  const { gone, added } = diffNotes(before, after);
  const went = new Map(gone.map((note) => [note.key, note]));
  const bySession = new Map<string, Changes>();
  const changesOf = (note: StoredNote<Task>): Changes => {
    const session = String(note.json?.session ?? '');
    const known = bySession.get(session) ?? { gone: new Set(), added: [] };
    bySession.set(session, known);
    return known;
  };
  // A second note on a key also withdraws the first one, and the last one left comes back.
  const came = new Set(added.map((note) => note.key));
  for (const key of new Set([...went.keys(), ...came])) {
    const now = findNotesByKey(after, key);
    const one = went.get(key);
    // Alone on its key and new there: nothing else of that key is left.
    if (one !== undefined && came.has(key) && now.length === 1) changesOf(one).gone.add(one);
    else for (const { note } of findNotesByKey(before, key)) changesOf(note).gone.add(note);
    for (const { note } of now.length === 1 ? now : []) changesOf(note).added.push(note);
  }
  bySession.delete('');
  const next = new Map(index);
  for (const [session, changes] of bySession) next.set(session, merge(index.get(session) ?? [], changes));
  return next;
}

function indexAll(root: Root): TaskNoteIndex {
  const byKey = new Map<string, StoredNote<Task> | null>();
  for (const note of listNotes(root)) byKey.set(note.key, byKey.has(note.key) ? null : note);
  const index = new Map<string, StoredNote<Task>[]>();
  for (const note of byKey.values()) {
    const session = String(note?.json?.session ?? '');
    if (note === null || session === '') continue;
    addToListOfKey(index, session, note);
  }
  for (const rows of index.values()) rows.sort((a, b) => compareText(idOf(a), idOf(b)));
  return index;
}

function merge(rows: readonly StoredNote<Task>[], { gone, added }: Changes): readonly StoredNote<Task>[] {
  const result = [...rows];
  const fresh: StoredNote<Task>[] = [];
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
  return [...result.filter((note) => !gone.has(note)), ...fresh].sort((a, b) => compareText(idOf(a), idOf(b)));
}

/** The position of a task in the sorted rows. */
function search(rows: readonly StoredNote<Task>[], id: string): number | null {
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

function idOf(note: StoredNote<Task>): string {
  return String(note.json?.id ?? '');
}
