import { existsSync } from 'node:fs';
import type { ObjectId, SessionId } from '../../domain/ids.ts';
import { noFolder } from '../../domain/input-errors.ts';
import type { Snapshot, Tips } from '../../domain/ports/store-port.ts';
import type { ObjectFormat } from '../../git/objects/make-object.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { RefFiles } from '../../git/refs/ref-files.ts';
import { type LoadContext, loadNotes, readOtherAnchors } from './load-notes.ts';
import { anchorKey, blackboardAnchor, type NoteKind, stateRefs } from './note-kinds.ts';
import { readTips } from './read-tips.ts';
import {
  emptyState,
  nextState,
  type RefState,
  type State,
  StateSnapshot,
  snapshotOf,
  tipsOf,
} from './state.ts';

/** Reads the newest state; what it read before is not read again. */
export class StateReader {
  readonly #options: {
    readonly catFile: CatFile;
    readonly commonDir: string;
    readonly objectFormat: ObjectFormat;
  };
  #state: State = emptyState;
  /** State this process is about to write. */
  #expected: State = emptyState;
  /** As it was last looked at. */
  #sessions = emptyState.sessions;
  readonly #files: RefFiles;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<State> | null = null;

  constructor(options: {
    readonly catFile: CatFile;
    readonly commonDir: string;
    readonly objectFormat: ObjectFormat;
  }) {
    this.#options = options;
    this.#files = new RefFiles(options.commonDir);
  }

  /** The state at some moment after the call. Callers of the same moment share one reading. */
  read(): Promise<State> {
    if (this.#next !== null) return this.#next;
    const next = this.#running.then(() => {
      this.#next = null;
      return this.#read();
    });
    this.#next = next;
    this.#running = next.catch(() => undefined);
    return next;
  }

  /** Implements `Store.look`; a state that was read whole before is taken instead. */
  async look(pick: (sessions: Snapshot) => SessionId | null): Promise<Snapshot> {
    const { catFile, commonDir } = this.#options;
    const tips = await readTips(catFile, commonDir, stateRefs);
    const whole = this.#state;
    if (isAt(whole, tips)) return snapshotOf(whole);
    this.#sessions = await this.#load(this.#sessions, tips);
    const none = { ...emptyState, sessions: this.#sessions };
    const session = pick(new StateSnapshot(none));
    return new StateSnapshot(session === null ? none : await this.#lookAt(session, none, tips), tips);
  }

  async #lookAt(session: SessionId, none: State, tips: Tips): Promise<State> {
    const { tasks: kind } = none;
    const tip = tips.get(kind.kind.ref) ?? null;
    if (tip === null) return none;
    // One that is linked nowhere may be the session's all the same.
    const others = await readOtherAnchors(this.#options, kind.kind, tip, session);
    const tasks = await this.#load(kind, tips, (key) => !others.has(key));
    const state = nextState(emptyState, { ...none, tasks });
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
    kind: State['blackboard'],
    { tips, snapshot }: { readonly tips: Tips; readonly snapshot: Snapshot },
  ): Promise<State['blackboard']> {
    if ((tips.get(kind.kind.ref) ?? null) === null) return kind;
    const keyOf = (task: string | null): ObjectId =>
      anchorKey(this.#options.objectFormat, blackboardAnchor(session, task));
    const keys = new Set([keyOf(null), ...snapshot.tasksOf(session).map(({ id }) => keyOf(id))]);
    return this.#load(kind, tips, (key) => keys.has(key));
  }

  /** To be called before the refs are moved there: who finds them there before `adopt` is called needs no reading either. */
  expect(state: State): void {
    this.#expected = state;
  }

  /** Takes over a state this process has just written, without reading it. */
  adopt(state: State): void {
    this.#state = state;
  }

  async #read(): Promise<State> {
    const { catFile, commonDir } = this.#options;
    if (this.#files.areAt(tipsOf(this.#state))) return this.#state;
    if (this.#files.areAt(tipsOf(this.#expected))) {
      this.#state = this.#expected;
      return this.#state;
    }
    // Without it every state would seem to be gone.
    if (this.#state !== emptyState && !existsSync(commonDir))
      throw noFolder(
        `The repository ${commonDir} no longer exists: it was moved or removed.`,
        'Where it is now, run: git flame run',
      );
    const noteTips = this.#files.begin(stateRefs);
    const tips = await readTips(catFile, commonDir, stateRefs);
    const before = isAt(this.#expected, tips) ? this.#expected : this.#state;
    const [sessions, tasks, validations, reviews, blackboard] = await Promise.all([
      this.#load(before.sessions, tips),
      this.#load(before.tasks, tips),
      this.#load(before.validations, tips),
      this.#load(before.reviews, tips),
      this.#load(before.blackboard, tips),
    ]);
    const refs = { sessions, tasks, validations, reviews, blackboard };
    const isSame =
      sessions === before.sessions &&
      tasks === before.tasks &&
      validations === before.validations &&
      reviews === before.reviews &&
      blackboard === before.blackboard;
    this.#state = isSame ? before : nextState(before, refs);
    noteTips(tips);
    return this.#state;
  }

  async #load<T>(
    before: RefState<T>,
    tips: Tips,
    isWanted: (key: ObjectId) => boolean = () => true,
  ): Promise<RefState<T>> {
    const tip = tips.get(before.kind.ref) ?? null;
    if (tip === before.tip) return before;
    const context = { ...this.#options, isWanted };
    const root = tip === null ? null : await loadNotes(context, before.kind, tip, before.root);
    return { ...before, tip, root };
  }
}

function isAt(state: State, tips: Tips): boolean {
  return [...tipsOf(state)].every(([ref, tip]) => tips.get(ref) === tip);
}

/** A ref of notes that is read only when asked for: it's no part of the state each command reads. */
export async function readSideRef<T>(
  context: LoadContext & { readonly commonDir: string },
  kind: NoteKind<T>,
): Promise<RefState<T>> {
  const tips = await readTips(context.catFile, context.commonDir, [kind.ref]);
  const tip = tips.get(kind.ref) ?? null;
  const root = tip === null ? null : await loadNotes(context, kind, tip, null);
  return { kind, tip, root };
}
