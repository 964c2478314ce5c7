import type { ObjectId, RefName } from '../../domain/ids.ts';
import type { ObjectFormat } from '../../git/objects/loose-object.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { loadNotes } from './load-notes.ts';
import { stateRefs } from './note-kinds.ts';
import { readTips } from './read-tips.ts';
import { emptyState, nextState, type RefState, type State } from './state.ts';

/** Reads the newest state; what it read before is not read again. */
export class StateReader {
  readonly #options: {
    readonly catFile: CatFile;
    readonly commonDir: string;
    readonly objectFormat: ObjectFormat;
  };
  #state: State = emptyState;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<State> | null = null;

  constructor(options: {
    readonly catFile: CatFile;
    readonly commonDir: string;
    readonly objectFormat: ObjectFormat;
  }) {
    this.#options = options;
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

  /** What this process has just written needs no reading. */
  adopt(state: State): void {
    this.#state = state;
  }

  async #read(): Promise<State> {
    const { catFile, commonDir } = this.#options;
    const tips = await readTips(catFile, commonDir, stateRefs);
    const before = this.#state;
    const [sessions, tasks, validations, reviews] = await Promise.all([
      this.#load(before.sessions, tips),
      this.#load(before.tasks, tips),
      this.#load(before.validations, tips),
      this.#load(before.reviews, tips),
    ]);
    const refs = { sessions, tasks, validations, reviews };
    const isSame =
      sessions === before.sessions &&
      tasks === before.tasks &&
      validations === before.validations &&
      reviews === before.reviews;
    this.#state = isSame ? before : nextState(before, refs);
    return this.#state;
  }

  async #load<T>(before: RefState<T>, tips: ReadonlyMap<RefName, ObjectId | null>): Promise<RefState<T>> {
    const tip = tips.get(before.kind.ref) ?? null;
    if (tip === before.tip) return before;
    const root = tip === null ? null : await loadNotes(this.#options, before.kind, tip, before.root);
    return { ...before, tip, root };
  }
}
