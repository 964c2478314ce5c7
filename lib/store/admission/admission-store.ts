import { restoreSaid } from '../../core/admission/restore-said.ts';
import { SinceDecided } from '../../core/admission/since-decided.ts';
import {
  type EndedSnapshot,
  heedEnds,
  heedLook,
  isEndedElsewhere,
} from '../../core/admission/unverified-completions.ts';
import type { SessionId } from '../../domain/ids.ts';
import type {
  Change,
  Decide,
  Snapshot,
  Store,
  Transaction,
  TransactOptions,
  TransactResult,
} from '../../domain/ports/store-port.ts';
import type { Origins } from '../../domain/state/origins.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import type { LocalStore, StoreOptions } from '../store-options.ts';
import { StoredEvidence } from './evidence.ts';
import { type EndJudge, endJudge } from './merge-judge.ts';

/** A store that shows and hands on what has ended here, whatever its notes say of it. */
export interface HeedingStore extends Store {
  snapshot(): Promise<EndedSnapshot>;
  /** The state as its notes say it. */
  readonly raw: LocalStore;
  /** The newest versions that count here, by `<session>/<task>`; nothing for those that have none. */
  lastTasks(tasks: readonly Task[]): Promise<ReadonlyMap<string, Task>>;
  /** The same by session. */
  lastSessions(sessions: readonly Session[]): Promise<ReadonlyMap<string, Session>>;
  /** Signatures of these sessions that were replaced, see replacedSeals: they count no more. */
  replacedSeals(sessions: readonly SessionId[]): Promise<ReadonlySet<string>>;
  /** What merges with another clone's notes ask. */
  judge(): Promise<EndJudge>;
  /** What counts from now on: decisions of named signers too. */
  heed(origins: Origins): void;
}

/** Puts the rule of core's heedEnds between a store and all who read it. */
export function heedingStore(
  store: LocalStore,
  options: StoreOptions & { readonly origins: Origins },
): HeedingStore {
  const evidence = new StoredEvidence(options);
  const view = new HeedingView(store, evidence, options.origins);
  return {
    ...store,
    snapshot: () => view.snapshot(),
    look: (pick) => view.look(pick),
    transact: (...asked) => view.transact(...asked),
    raw: store,
    lastTasks: async (tasks) => {
      const found = await evidence.lastTasks(tasks, view.origins);
      return new Map([...found].map(([{ session, id }, last]) => [`${session}/${id}`, last]));
    },
    lastSessions: async (sessions) => {
      const found = await evidence.lastSessions(sessions, view.origins);
      return new Map([...found].map(([{ id }, last]) => [id, last]));
    },
    replacedSeals: (sessions) => evidence.replacedSeals(sessions),
    judge: async () => {
      await evidence.refresh();
      return endJudge(await store.snapshot(), { origins: view.origins, evidence });
    },
    heed: (counting) => {
      view.origins = counting;
      evidence.forgetVersions();
    },
    moveToArchive: async (pick, actor) => {
      await view.snapshot();
      return store.moveToArchive((raw) => pick(view.heed(raw)), actor);
    },
    close: async () => {
      await store.close();
      await evidence.close();
    },
  };
}

/** What is read and decided by the rule: a look that rests on something unknown is taken again once that is found out. */
class HeedingView {
  readonly #store: Store;
  readonly #evidence: StoredEvidence;
  /** Of snapshots that say nothing which evidence was asked for. */
  readonly #seen = new SinceDecided<Snapshot, EndedSnapshot>();
  /** What counts. */
  origins: Origins;

  constructor(store: Store, evidence: StoredEvidence, origins: Origins) {
    this.#store = store;
    this.#evidence = evidence;
    this.origins = origins;
  }

  heed(snapshot: Snapshot): EndedSnapshot {
    const { origins } = this;
    const known = this.#seen.get(snapshot, origins);
    if (known !== undefined) return known;
    const { asked } = this.#evidence;
    const seen = heedEnds(snapshot, { origins, evidence: this.#evidence });
    if (this.#evidence.asked === asked) this.#seen.keep(snapshot, origins, seen);
    return seen;
  }

  async snapshot(): Promise<EndedSnapshot> {
    await this.#evidence.refresh();
    const raw = await this.#store.snapshot();
    return this.#settled(() => this.heed(raw));
  }

  async look(pick: Parameters<Store['look']>[0]): ReturnType<Store['look']> {
    let only: SessionId | null = null;
    const raw = await this.#store.look((seen) => {
      only = pick(seen);
      return only;
    });
    const { origins } = this;
    origins.refresh();
    await this.#evidence.refresh();
    // Which one is current, and what its tasks are, then depends on more than one session.
    if (raw.sessions.some((session) => isEndedElsewhere(session, { origins }))) return this.snapshot();
    return this.#settled(() => heedLook(raw, { origins: this.origins, evidence: this.#evidence }, only));
  }

  async transact(decide: Decide<EndedSnapshot>, options: TransactOptions = {}): Promise<TransactResult> {
    for (;;) {
      await this.#evidence.refresh();
      const result = await this.#tryToTransact(decide, options);
      if (result?.kind === 'done')
        return { ...result, snapshot: await this.#settled(() => this.heed(result.snapshot)) };
      if (result !== null) return result;
      await this.#evidence.resolve(this.origins);
    }
  }

  /** null: what the decision rests on is not known yet. */
  async #tryToTransact(
    decide: Decide<EndedSnapshot>,
    options: TransactOptions,
  ): Promise<TransactResult | null> {
    try {
      return await this.#store.transact(
        (raw, waiting) => {
          const seen = this.heed(raw);
          if (this.#evidence.isOpen) throw new Unknown();
          return withSaid(decide(seen, waiting), { seen, raw });
        },
        { ...options, prepare: () => Promise.all([this.snapshot(), options.prepare?.()]) },
      );
    } catch (error) {
      if (error instanceof Unknown) return null;
      throw error;
    }
  }

  /** What a look at the notes asks is found out, until nothing is open. */
  async #settled<Seen>(see: () => Seen): Promise<Seen> {
    for (;;) {
      const seen = see();
      if (!this.#evidence.isOpen) return seen;
      await this.#evidence.resolve(this.origins);
    }
  }
}

/** What a decision would rest on isn't known yet: it is found out, and decided again. */
class Unknown extends Error {}

interface Sides {
  readonly seen: Snapshot;
  readonly raw: Snapshot;
}

/** A transaction that says nothing about ends it didn't decide about: another clone's may prove true later. */
function withSaid(transaction: Transaction | null, sides: Sides): Transaction | null {
  if (transaction === null) return null;
  const changes = transaction.changes.map((change): Change => {
    const [seen, said] = [sides.seen, sides.raw].map(({ sessions }) =>
      sessions.find(({ id }) => id === change.session?.id),
    );
    if (change.session === undefined || seen === undefined || said === undefined) return change;
    return { ...change, session: restoreSaid(change.session, { seen, said }) };
  });
  return { ...transaction, changes };
}
