import { type EndedSnapshot, heedEnds, heedLook, isEndedElsewhere } from '../../core/decisions/heed-ends.ts';
import { restoreSaid } from '../../core/decisions/restore-said.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Change, Snapshot, Store, Transaction, TransactResult } from '../../domain/ports/store-port.ts';
import type { Origins } from '../../domain/state/origins.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import type { StoreOptions } from '../store-options.ts';
import { type EndJudge, endJudge } from './end-judge.ts';
import { StoredEvidence } from './evidence.ts';

/** A store that shows and hands on what has ended here, whatever its notes say of it. */
export interface HeedingStore extends Store {
  snapshot(): Promise<EndedSnapshot>;
  /** The state as its notes say it. */
  readonly raw: Store;
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
  store: Store,
  options: StoreOptions & { readonly origins: Origins },
): HeedingStore {
  let { origins } = options;
  const evidence = new StoredEvidence(options);
  const heed = (snapshot: Snapshot): EndedSnapshot => heedEnds(snapshot, { origins, evidence });
  // What a look at the notes asks is found out, until nothing is open.
  const settled = async <Seen>(see: () => Seen): Promise<Seen> => {
    for (;;) {
      const seen = see();
      if (!evidence.isOpen) return seen;
      await evidence.resolve(origins);
    }
  };
  const snapshot = async (): Promise<EndedSnapshot> => {
    await evidence.refresh();
    const raw = await store.snapshot();
    return settled(() => heed(raw));
  };
  return {
    ...store,
    snapshot,
    look: async (pick) => {
      let only: SessionId | null = null;
      const raw = await store.look((seen) => {
        only = pick(seen);
        return only;
      });
      origins.refresh();
      await evidence.refresh();
      // Which one is current, and what its tasks are, then depends on more than one session.
      if (raw.sessions.some((session) => isEndedElsewhere(session, { origins }))) return snapshot();
      return settled(() => heedLook(raw, { origins, evidence }, only));
    },
    raw: store,
    lastTasks: async (tasks) => {
      const found = await evidence.lastTasks(tasks, origins);
      return new Map([...found].map(([{ session, id }, last]) => [`${session}/${id}`, last]));
    },
    lastSessions: async (sessions) => {
      const found = await evidence.lastSessions(sessions, origins);
      return new Map([...found].map(([{ id }, last]) => [id, last]));
    },
    replacedSeals: (sessions) => evidence.replacedSeals(sessions),
    judge: async () => {
      await evidence.refresh();
      return endJudge(await store.snapshot(), { origins, evidence });
    },
    heed: (counting) => {
      origins = counting;
      evidence.forgetVersions();
    },
    transact: async (decide): Promise<TransactResult> => {
      for (;;) {
        await evidence.refresh();
        const result = await store
          .transact((raw) => {
            const seen = heed(raw);
            if (evidence.isOpen) throw new Unknown();
            return withSaid(decide(seen), { seen, raw });
          })
          .catch((error: unknown) => {
            if (error instanceof Unknown) return null;
            throw error;
          });
        if (result?.kind === 'done')
          return { ...result, snapshot: await settled(() => heed(result.snapshot)) };
        if (result !== null) return result;
        await evidence.resolve(origins);
      }
    },
    moveToArchive: async (pick, actor) => {
      await snapshot();
      return store.moveToArchive((raw) => pick(heed(raw)), actor);
    },
    close: async () => {
      await store.close();
      await evidence.close();
    },
  };
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
