import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { Snapshot, StateProblem, Tips } from '../../domain/ports/store-port.ts';
import type { BlackboardPage } from '../../domain/state/blackboard.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import type { ReviewNote, ValidationNote, Verdict, Verification } from '../../domain/state/verdict.ts';
import type { Note } from './note.ts';
import {
  blackboardNotes,
  type NoteKind,
  reviewNotes,
  sessionNotes,
  taskNotes,
  validationNotes,
} from './note-kinds.ts';
import { findNotes, listAnchors, listNotes, type TreeNode } from './note-tree.ts';
import { indexTasks, type TaskIndex } from './task-index.ts';

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
    const message = `is the anchor of ${name}, whose note is gone`;
    return { ref: state.kind.ref, object: key, key, message };
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
