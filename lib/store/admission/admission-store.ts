import { type AdmissionRules, admitSnapshot } from '../../core/admission/admit-snapshot.ts';
import { isWholeStateOwn } from '../../core/admission/own-versions.ts';
import { isEndedElsewhere } from '../../core/admission/unverified-completions.ts';
import type { SessionId } from '../../domain/ids.ts';
import type {
  AdmittedSnapshot,
  DecideTransaction,
  OneSessionSnapshot,
  OwnStateTips,
  Snapshot,
  TransactResult,
  TrustedStore,
} from '../../domain/ports/store-port.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { LocalStore, StoreOptions } from '../store-options.ts';
import { buildMergeCompletionCheck, type MergeCompletionCheck } from './merge-completion-check.ts';
import { recordTransactionDecisions } from './record-transaction.ts';
import { StoredCompletionEvidence } from './stored-evidence.ts';

/** The one place where a state is judged: it shows what this clone trusts, and records what is decided on that. */
export interface AdmissionStore extends TrustedStore {
  /** The state as it is stored. */
  readonly raw: LocalStore;
  /** The newest trusted versions, by `<session>/<task>`; nothing for those that have none. */
  findLastTrustedTasks(tasks: readonly Task[]): Promise<ReadonlyMap<string, Task>>;
  /** The newest trusted versions by session. */
  findLastTrustedSessions(sessions: readonly Session[]): Promise<ReadonlyMap<string, Session>>;
  /** Signatures of these sessions that were replaced, see findReplacedSignatures: they count no more. */
  replacedSeals(sessions: readonly SessionId[]): Promise<ReadonlySet<string>>;
  /** Judge for merges with another clone's notes. */
  openMergeCompletionCheck(): Promise<MergeCompletionCheck>;
  /** Changes what is trusted from now on. */
  admitBy(rules: Partial<Pick<AdmissionRules, 'decided' | 'isOffered'>>): void;
  /** Whether a state is read as it is. */
  isOwn(snapshot: Snapshot): boolean;
  /**
   * Reads the state as it is from now on, if all of it was decided here; to be called once refs were moved another way.
   */
  admit(): Promise<void>;
}

export function openAdmissionStore(
  store: LocalStore,
  options: StoreOptions & { readonly decided: DecisionLog },
): AdmissionStore {
  const evidence = new StoredCompletionEvidence(options);
  const admission = new Admission(store, evidence, options);
  return {
    ...store,
    snapshot: () => admission.snapshot(),
    readOneSession: (pick) => admission.look(pick),
    transact: (...asked) => admission.transact(...asked),
    archive: async () => admission.admitArchived(await store.archive()),
    raw: store,
    findLastTrustedTasks: async (tasks) => {
      const found = await evidence.lastTasks(tasks, admission.decided);
      return new Map([...found].map(([{ session, id }, last]) => [`${session}/${id}`, last]));
    },
    findLastTrustedSessions: async (sessions) => {
      const found = await evidence.lastSessions(sessions, admission.decided);
      return new Map([...found].map(([{ id }, last]) => [id, last]));
    },
    replacedSeals: (sessions) => evidence.replacedSeals(sessions),
    openMergeCompletionCheck: async () => {
      await evidence.refresh();
      return buildMergeCompletionCheck(await store.snapshot(), { decided: admission.decided, evidence });
    },
    admitBy: (rules) => admission.admitBy(rules),
    isOwn: (snapshot) => admission.isOwn(snapshot),
    admit: async () => admission.admitOwn(await store.snapshot(), { isKept: true }),
    moveToArchive: async (pick, actor) => {
      await admission.snapshot();
      return store.moveToArchive((raw) => pick(admission.judge(raw)), actor);
    },
    close: async () => {
      await store.close();
      await evidence.close();
    },
  };
}

const mostLooks = 20;

/** Reads and decides by the rules: a look that rests on something unknown is taken again once that is found out. */
class Admission {
  readonly #store: LocalStore;
  readonly #evidence: StoredCompletionEvidence;
  readonly #ownTips: OwnStateTips | undefined;
  /** Without signatures, and what machines share. */
  readonly #ownLog: DecisionLog;
  #rules: Pick<AdmissionRules, 'decided' | 'isOffered'>;
  /** Results for snapshots without open questions, until another decision is made or superseded. */
  #judged = new WeakMap<Snapshot, { readonly revision: number; readonly judged: AdmittedSnapshot }>();

  constructor(
    store: LocalStore,
    evidence: StoredCompletionEvidence,
    { decided, ownTips }: Pick<StoreOptions, 'ownTips'> & { readonly decided: DecisionLog },
  ) {
    this.#store = store;
    this.#evidence = evidence;
    this.#ownTips = ownTips;
    this.#ownLog = decided;
    this.#rules = { decided, isOffered: () => true };
  }

  get decided(): DecisionLog {
    return this.#rules.decided;
  }

  admitBy(rules: Partial<Pick<AdmissionRules, 'decided' | 'isOffered'>>): void {
    this.#rules = { ...this.#rules, ...rules };
    this.#judged = new WeakMap();
    if (rules.decided !== undefined) this.#evidence.forgetVersions();
  }

  judge(raw: Snapshot): AdmittedSnapshot {
    const { decided } = this.#rules;
    // Reads decisions of other processes.
    decided.refresh();
    const known = this.#judged.get(raw);
    if (known?.revision === decided.revision) return known.judged;
    const { questionCount } = this.#evidence;
    const judged = admitSnapshot(raw, this.#rulesFor(raw));
    const { revision } = decided;
    if (this.#evidence.questionCount === questionCount) this.#judged.set(raw, { revision, judged });
    return judged;
  }

  /** Admits archived sessions as ended, without looking for proof. */
  admitArchived(raw: Snapshot): AdmittedSnapshot {
    return admitSnapshot(raw, { ...this.#rulesFor(raw), isOwn: false }, null);
  }

  /** Takes a state for this clone's own where every decision in it was made here. */
  admitOwn(raw: Snapshot, { isKept }: { readonly isKept: boolean }): void {
    if (this.#ownTips === undefined || this.isOwn(raw) || !isWholeStateOwn(raw, this.#ownLog)) return;
    this.#ownTips.mark(raw);
    if (isKept) this.#ownTips.keep(raw);
  }

  snapshot(): Promise<AdmittedSnapshot> {
    return this.#withoutDecisionsMeanwhile(async () => {
      await this.#evidence.refresh();
      const raw = await this.#store.snapshot();
      return this.#found(() => this.judge(raw));
    });
  }

  look(pick: Parameters<TrustedStore['readOneSession']>[0]): Promise<OneSessionSnapshot> {
    return this.#withoutDecisionsMeanwhile(() => this.#lookOnce(pick));
  }

  /**
   * Reads again while decisions are made: one that replaces another is about a newer state, and what was read before
   * would seem to be decided elsewhere. The last look counts where they never end.
   */
  async #withoutDecisionsMeanwhile<Seen>(read: () => Promise<Seen>): Promise<Seen> {
    for (let looks = 1; ; looks += 1) {
      this.decided.refresh();
      const { revision } = this.decided;
      const seen = await read();
      if (this.decided.revision === revision || looks === mostLooks) return seen;
    }
  }

  async #lookOnce(pick: Parameters<TrustedStore['readOneSession']>[0]): Promise<OneSessionSnapshot> {
    let only: SessionId | null = null;
    const raw = await this.#store.readOneSession((seen) => {
      only = pick(seen);
      return only;
    });
    const rules = this.#rulesFor(raw);
    if (rules.isOwn) return admitSnapshot(raw, rules);
    rules.decided.refresh();
    await this.#evidence.refresh();
    // Which one is current, and what its tasks are, then depends on more than one session.
    if (raw.sessions.some((session) => isEndedElsewhere(session, rules))) return this.snapshot();
    return this.#found(() => admitSnapshot(raw, rules, only));
  }

  async transact(decide: DecideTransaction<AdmittedSnapshot>): Promise<TransactResult<AdmittedSnapshot>> {
    for (;;) {
      await this.#evidence.refresh();
      const result = await this.#tryToTransact(decide);
      if (result !== null) return result;
      await this.#evidence.resolve(this.decided);
    }
  }

  /** null: what the decision rests on is not known yet. */
  async #tryToTransact(decide: DecideTransaction<AdmittedSnapshot>): Promise<TransactResult<AdmittedSnapshot> | null> {
    let supersede = (): void => undefined;
    try {
      const result = await this.#store.transact((raw) => {
        this.admitOwn(raw, { isKept: false });
        const seen = this.judge(raw);
        if (this.#evidence.isOpen) throw new Unknown();
        const transaction = decide(seen);
        if (transaction === null) return null;
        const recorded = recordTransactionDecisions(transaction, { seen, raw }, this.decided);
        supersede = recorded.supersede;
        return recorded.transaction;
      });
      if (result.kind !== 'done') return result;
      supersede();
      return { ...result, snapshot: await this.#found(() => this.judge(result.snapshot)) };
    } catch (error) {
      if (error instanceof Unknown) return null;
      throw error;
    }
  }

  isOwn(raw: Snapshot): boolean {
    return this.#ownTips?.has(raw) ?? false;
  }

  #rulesFor(raw: Snapshot): AdmissionRules {
    return { ...this.#rules, evidence: this.#evidence, isOwn: this.isOwn(raw) };
  }

  /** Finds out what a look at the notes asks, until nothing is open. */
  async #found<Seen>(see: () => Seen): Promise<Seen> {
    for (;;) {
      const seen = see();
      if (!this.#evidence.isOpen) return seen;
      await this.#evidence.resolve(this.decided);
    }
  }
}

/** Evidence for a decision isn't known yet: it is looked up, and the decision is made again. */
class Unknown extends Error {}
