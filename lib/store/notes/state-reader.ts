import { existsSync } from 'node:fs';
import type { ObjectId, SessionId } from '../../domain/ids.ts';
import { noFolderError } from '../../domain/input-errors.ts';
import type { Snapshot, StateTips } from '../../domain/ports/store-port.ts';
import {
  advanceIndexedState,
  collectStateTips,
  emptyIndexedState,
  type IndexedState,
  openStateSnapshot,
  type RefState,
  StateSnapshot,
} from './indexed-state.ts';
import { type LoadContext, loadNotes, readAnchoredKeysOutside } from './load-notes.ts';
import { blackboardAnchor, computeNoteKey, type NoteKind, stateRefs } from './note-kinds.ts';
import { readTips } from './read-tips.ts';

/** Where notes are read. */
export type NotesPlace = LoadContext & { readonly commonDir: string };

/** Reads the newest state; what it read before is not read again. */
export class StateReader {
  readonly #options: NotesPlace;
  #state: IndexedState = emptyIndexedState;
  /** As it was last looked at. */
  #sessions = emptyIndexedState.sessions;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<IndexedState> | null = null;

  constructor(options: NotesPlace) {
    this.#options = options;
  }

  /** The state at some moment after the call. Callers of the same moment share one reading. */
  read(): Promise<IndexedState> {
    if (this.#next !== null) return this.#next;
    const next = this.#running.then(() => {
      this.#next = null;
      return this.#read();
    });
    this.#next = next;
    this.#running = next.catch(() => undefined);
    return next;
  }

  /** Implements `Store.readOneSession`; a state that was read whole before is taken instead. */
  async look(pick: (sessions: Snapshot) => SessionId | null): Promise<Snapshot> {
    const { catFile, commonDir } = this.#options;
    const tips = await readTips(catFile, commonDir, stateRefs);
    const whole = this.#state;
    if (isAt(whole, tips)) return openStateSnapshot(whole);
    this.#sessions = await this.#load(this.#sessions, tips);
    const none = { ...emptyIndexedState, sessions: this.#sessions };
    const session = pick(new StateSnapshot(none));
    return new StateSnapshot(session === null ? none : await this.#lookAt(session, none, tips), tips);
  }

  async #lookAt(session: SessionId, none: IndexedState, tips: StateTips): Promise<IndexedState> {
    const { tasks: kind } = none;
    const tip = tips.get(kind.kind.ref) ?? null;
    if (tip === null) return none;
    // One that is linked nowhere may be the session's all the same.
    const others = await readAnchoredKeysOutside(this.#options, kind.kind, tip, session);
    const tasks = await this.#load(kind, tips, (key) => !others.has(key));
    const state = advanceIndexedState(emptyIndexedState, { ...none, tasks });
    const snapshot = new StateSnapshot(state);
    const commits = new Set([
      ...snapshot.tasksOf(session).map(({ commit }) => commit),
      ...(snapshot.sessions.find(({ id }) => id === session)?.changesets ?? []).map(({ commit }) => commit),
    ]);
    const validations = await this.#load(none.validations, tips, (key) => commits.has(key));
    const blackboard = await this.#pagesOf(session, none.blackboard, { tips, snapshot });
    return { ...state, validations, blackboard };
  }

  async #pagesOf(
    session: SessionId,
    kind: IndexedState['blackboard'],
    { tips, snapshot }: { readonly tips: StateTips; readonly snapshot: Snapshot },
  ): Promise<IndexedState['blackboard']> {
    if ((tips.get(kind.kind.ref) ?? null) === null) return kind;
    const keyOf = (task: string | null): ObjectId =>
      computeNoteKey(this.#options.objectFormat, blackboardAnchor(session, task));
    const keys = new Set([keyOf(null), ...snapshot.tasksOf(session).map(({ id }) => keyOf(id))]);
    return this.#load(kind, tips, (key) => keys.has(key));
  }

  /** Takes over a state this process has just written, without reading it. */
  adopt(state: IndexedState): void {
    this.#state = state;
  }

  async #read(): Promise<IndexedState> {
    const { catFile, commonDir } = this.#options;
    // Without it every state would seem to be gone.
    if (this.#state !== emptyIndexedState && !existsSync(commonDir))
      throw noFolderError(
        `The repository ${commonDir} no longer exists: it was moved or removed.`,
        'Where it is now, run: git flame run',
      );
    const before = this.#state;
    const tips = await readTips(catFile, commonDir, stateRefs);
    const [sessions, tasks, validations, reviews, blackboard] = await Promise.all([
      this.#load(before.sessions, tips),
      this.#load(before.tasks, tips),
      this.#load(before.validations, tips),
      this.#load(before.reviews, tips),
      this.#load(before.blackboard, tips),
    ]);
    // This process wrote meanwhile, which is newer than what was read.
    if (this.#state !== before) return this.#state;
    const refs = { sessions, tasks, validations, reviews, blackboard };
    this.#state = isAt(before, tips) ? before : advanceIndexedState(before, refs);
    return this.#state;
  }

  async #load<T>(
    before: RefState<T>,
    tips: StateTips,
    isWanted: (key: ObjectId) => boolean = () => true,
  ): Promise<RefState<T>> {
    const tip = tips.get(before.kind.ref) ?? null;
    if (tip === before.tip) return before;
    const context = { ...this.#options, isWanted };
    const root = tip === null ? null : await loadNotes(context, before.kind, tip, before.root);
    return { ...before, tip, root };
  }
}

function isAt(state: IndexedState, tips: StateTips): boolean {
  return [...collectStateTips(state)].every(([ref, tip]) => tips.get(ref) === tip);
}

/** A ref of notes that is read only when asked for: it's no part of the state each command reads. */
export async function readRefOutsideState<T>(context: NotesPlace, kind: NoteKind<T>): Promise<RefState<T>> {
  const tips = await readTips(context.catFile, context.commonDir, [kind.ref]);
  const tip = tips.get(kind.ref) ?? null;
  const root = tip === null ? null : await loadNotes(context, kind, tip, null);
  return { kind, tip, root };
}
