import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { Snapshot, StateProblem, Tips } from '../../domain/ports/store-port.ts';
import type { BlackboardPage } from '../../domain/state/blackboard.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import type { ReviewNote, ValidationNote, Verdict, Verification } from '../../domain/state/verdict.ts';
import { addTo, compareText } from '../../util/sort-and-group.ts';
import type { Note } from './note.ts';
import {
  blackboardNotes,
  type NoteKind,
  reviewNotes,
  sessionNotes,
  taskNotes,
  validationNotes,
} from './note-kinds.ts';
import { diffNotes, findNotes, listAnchors, listNotes, type TreeNode } from './note-tree.ts';

/** One state ref at one moment. */
export interface RefState<T> {
  readonly kind: NoteKind<T>;
  /** null: the ref does not exist. */
  readonly tip: ObjectId | null;
  readonly root: TreeNode<Note<T>> | null;
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
export interface State extends RefStates {
  readonly taskIndex: TaskIndex;
}

export const emptyState: State = {
  sessions: { kind: sessionNotes, tip: null, root: null },
  tasks: { kind: taskNotes, tip: null, root: null },
  validations: { kind: validationNotes, tip: null, root: null },
  reviews: { kind: reviewNotes, tip: null, root: null },
  blackboard: { kind: blackboardNotes, tip: null, root: null },
  taskIndex: new Map(),
};

/** The next state, its index brought along: the cost depends on what changed, not on the number of notes. */
export function nextState(previous: State, refs: RefStates): State {
  return { ...refs, taskIndex: indexTasks(previous.taskIndex, previous.tasks.root, refs.tasks.root) };
}

/** Tip of each state ref. */
export function tipsOf(state: State): Tips {
  const all = [state.sessions, state.tasks, state.validations, state.reviews, state.blackboard];
  return new Map(all.map(({ kind, tip }) => [kind.ref, tip]));
}

const snapshots = new WeakMap<State, StateSnapshot>();

/** The snapshot of a state: its lists are made once, however often it is looked at. */
export function snapshotOf(state: State): Snapshot {
  const snapshot = snapshots.get(state) ?? new StateSnapshot(state);
  snapshots.set(state, snapshot);
  return snapshot;
}

/** The state as commands see it; lists are made when asked for. */
export class StateSnapshot implements Snapshot {
  readonly #state: State;
  readonly #tasks = new Map<string, readonly Task[]>();
  #sessions: readonly Session[] | null = null;
  #problems: readonly StateProblem[] | null = null;

  readonly tips: Tips;

  /** `tips`: of a state that was read in part, where all refs stood. */
  constructor(state: State, tips = tipsOf(state)) {
    this.#state = state;
    this.tips = tips;
  }

  /** Oldest first. */
  get sessions(): readonly Session[] {
    this.#sessions ??= [...listNotes(this.#state.sessions.root)]
      .filter((note) => findNotes(this.#state.sessions.root, note.key).length === 1)
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
    return onlyNote(this.#state.validations, commit)?.value?.verdicts ?? [];
  }

  verdictsOf(session: SessionId): readonly Verdict[] {
    return [...listNotes(this.#state.validations.root)]
      .flatMap((note) => note.value?.verdicts ?? [])
      .filter((verdict) => verdict.session === session)
      .sort((a, b) => compare(a.at, b.at));
  }

  verificationsOn(commit: ObjectId): readonly Verification[] {
    return onlyNote(this.#state.validations, commit)?.value?.verifications ?? [];
  }

  reviewOn(commit: ObjectId): ReviewNote | null {
    return onlyNote(this.#state.reviews, commit)?.value ?? null;
  }

  blackboardOf(session: SessionId): readonly BlackboardPage[] {
    return [...listNotes(this.#state.blackboard.root)]
      .filter((note) => findNotes(this.#state.blackboard.root, note.key).length === 1)
      .flatMap((note) => (note.json?.session === session ? (note.value ?? []) : []))
      .sort((a, b) => compare(a.task ?? '', b.task ?? ''));
  }

  /** Checks every note; on 10,000 tasks this takes a fraction of a second the first time. */
  get problems(): readonly StateProblem[] {
    const { sessions, tasks, validations, reviews, blackboard } = this.#state;
    this.#problems ??= [sessions, tasks, validations, reviews, blackboard].flatMap((ref) =>
      problemsOf<unknown>(ref),
    );
    return this.#problems;
  }
}

/** The note under a key; null if there is none, or more than one. */
export function onlyNote<T>(state: RefState<T>, key: ObjectId): Note<T> | null {
  const found = findNotes(state.root, key);
  return found.length === 1 ? (found[0]?.note ?? null) : null;
}

/** Lists the notes of a ref that can't be used. */
export function problemsOf<T>(state: RefState<T>): StateProblem[] {
  const found: StateProblem[] = [];
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
function lostNotes<T>(state: RefState<T>, keys: ReadonlyMap<ObjectId, number>): StateProblem[] {
  return listAnchors(state.root, (key) => !keys.has(key)).map(({ name, key }) => {
    const message = `is the anchor of ${name}, whose note is missing`;
    return { ref: state.kind.ref, object: key, key, message };
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

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
  for (const rows of index.values()) rows.sort((a, b) => compareText(idOf(a), idOf(b)));
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
  return [...result.filter((note) => !gone.has(note)), ...fresh].sort((a, b) =>
    compareText(idOf(a), idOf(b)),
  );
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
