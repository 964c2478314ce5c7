import type { ObjectId, RefName, SessionId } from '../ids.ts';
import type { BlackboardPage } from '../state/blackboard.ts';
import type { LoggedDecision } from '../state/decision-log.ts';
import type { Session } from '../state/session-schema.ts';
import type { SignatureNote } from '../state/signatures.ts';
import type { Task, UnverifiedCompletion } from '../state/task-schema.ts';
import type { DiagnosticsRerun, ReviewNote, Verdict } from '../state/verdict.ts';
import type { RefUpdate } from './git-port.ts';

/** A single note that can't be used: not JSON, not of its schema, or of a newer version. The others can. */
export interface UnusableNote {
  readonly ref: RefName;
  /** The note's blob. */
  readonly object: ObjectId;
  /** The object of the note: an anchor or a commit. */
  readonly key: ObjectId;
  readonly message: string;
}

/** All state at one moment, read from the refs; immutable. */
export interface Snapshot {
  readonly sessions: readonly Session[];
  /** The session commands work on: the newest active one, else the newest; null if there is none. */
  readonly current: Session | null;
  /** By id, ascending. */
  tasksOf(session: SessionId): readonly Task[];
  /** Verdicts on exactly this commit, latest last. */
  verdictsOn(commit: ObjectId): readonly Verdict[];
  /** Every verdict of a session, on any commit, earliest first. Reads all of them: for reports. */
  verdictsOf(session: SessionId): readonly Verdict[];
  /** Each time the checks of exactly this commit were run again, latest last. */
  verificationsOn(commit: ObjectId): readonly DiagnosticsRerun[];
  reviewOn(commit: ObjectId): ReviewNote | null;
  /** Notes left for later tasks of a session: those of the lead first, then by task. */
  blackboardOf(session: SessionId): readonly BlackboardPage[];
  /** Where the refs of the state stood. */
  readonly tips: StateTips;
  /** Notes left out above because they can't be read; writing to one throws `state-corrupt`. */
  readonly problems: readonly UnusableNote[];
}

/** The commits that refs point to; null: no such ref. */
export type StateTips = ReadonlyMap<RefName, ObjectId | null>;

/**
 * A snapshot as this clone trusts it: a task, changeset or session that only another clone reports as ended is as the last
 * trusted version has it. Proposals are in it all the same; `admitted` has none.
 */
export interface AdmittedSnapshot extends Snapshot {
  /** The completions that only another clone reports. */
  readonly unverified: readonly UnverifiedCompletion[];
  /** A session without proposals. Throws FlameError `no-session`. */
  admitted(id: SessionId): AdmittedSessionView;
}

/** A session and its tasks without what only another clone decided. */
export interface AdmittedSession {
  /** Without proposals: an approval waits again, a limit is not raised. Changes of a session are made of this one. */
  readonly session: Session;
  /** Tasks that were planned here, or have ended. Those that start something are as this clone left them. */
  readonly tasks: readonly Task[];
  /** Open tasks that no person here has decided about, as they are. */
  readonly received: readonly Task[];
  /** Ids of all tasks that are not as this clone left them or as its person accepted them. */
  readonly elsewhere: ReadonlySet<string>;
  /** Whether the session itself was decided here: its objective, where it lands, that it continues and plans. */
  readonly isOurs: boolean;
  /** The session as the snapshot has it, but for changesets of withdrawn work: those are void. */
  readonly stored: Session;
  /** With trusted verdicts and notes for later tasks alone. */
  readonly snapshot: Look;
}

/** An admitted session with all that was read at that moment. */
export interface AdmittedSessionView extends AdmittedSession {
  readonly snapshot: Snapshot;
  /** The completions of it that only another clone reports. */
  readonly unverified: readonly UnverifiedCompletion[];
  /** Notes left for later tasks, by any clone. */
  readonly pages: () => readonly BlackboardPage[];
}

/** The sessions, and one of them with its tasks and their verdicts; of the others nothing but their own notes. */
type Look = Pick<Snapshot, 'sessions' | 'current' | 'tasksOf' | 'verdictsOn' | 'blackboardOf' | 'problems'>;
export interface OneSessionSnapshot extends Look, Pick<AdmittedSnapshot, 'unverified'> {
  admitted(id: SessionId): AdmittedSession;
}

/** Content of an audit entry: one commit on a state ref. */
export interface AuditEntryText {
  /** Reads like `task-001: pending -> claimed by worker-1a2b3c4d`. */
  readonly subject: string;
  /** Why, for `git log`; may be empty. */
  readonly body?: string;
}

interface ChangedNotes {
  readonly tasks: readonly Task[];
  readonly session: Session;
  readonly verdict: Verdict;
  readonly verification: DiagnosticsRerun;
  readonly review: { readonly commit: ObjectId; readonly note: ReviewNote };
  readonly page: BlackboardPage;
}

/** Notes of that kind alone. */
export type OnlyNotesOfKind<Kind extends keyof ChangedNotes> = Pick<ChangedNotes, Kind> & {
  readonly [Other in Exclude<keyof ChangedNotes, Kind>]?: never;
};

export type TasksChange = AuditEntryText &
  OnlyNotesOfKind<'tasks'> & {
    /** `Transition: pending -> claimed`. */
    readonly transition?: string;
    /** Why a task failed: trailers `Failure` and, one for each, `Rule`. */
    readonly failure?: { readonly kind: string; readonly rules: readonly string[] };
  };

/** One audited change of notes of one kind. */
export type StateChange =
  | TasksChange
  | (AuditEntryText & OnlyNotesOfKind<'session'>)
  | (AuditEntryText & OnlyNotesOfKind<'verdict'>)
  | (AuditEntryText & OnlyNotesOfKind<'verification'>)
  | (AuditEntryText & OnlyNotesOfKind<'review'>)
  | (AuditEntryText & OnlyNotesOfKind<'page'>);

/** Changes and refs that move together or not at all. */
export interface Transaction {
  readonly changes: readonly StateChange[];
  readonly refs?: readonly RefUpdate[];
  /** The person's decisions with it beyond what is written, as about received state. */
  readonly accepted?: readonly LoggedDecision[];
  /** Whether all of it was decided in this clone, on the state as this clone trusts it; set by the admission alone. */
  readonly isOwn?: boolean;
  /** The actor: the person's git identity or an agent id. */
  readonly actor: string;
}

export type TransactResult<Seen extends Snapshot = Snapshot> =
  | { readonly kind: 'done'; readonly snapshot: Seen }
  | { readonly kind: 'nothing' }
  /** A ref outside the store was not where the transaction said; nothing was changed. */
  | {
      readonly kind: 'ref-moved';
      readonly ref: RefName;
      readonly expected: ObjectId | null;
      readonly actual: ObjectId | null;
    };

export interface StateLogEntry {
  readonly commit: ObjectId;
  readonly ref: RefName;
  readonly at: string;
  readonly author: string;
  readonly subject: string;
  readonly body: string;
  readonly trailers: Readonly<Record<string, string>>;
}

export type DecideTransaction<Seen extends Snapshot = Snapshot> = (snapshot: Seen) => Transaction | null;

/** Which states this clone wrote or admitted whole, by where their refs stand. Never throws. */
export interface OwnStateTips {
  /** Whether the state that this clone wrote or admitted last is exactly this one. */
  has(snapshot: Pick<Snapshot, 'tips'>): boolean;
  /** Marks a state as this clone's own before its refs are there. */
  mark(snapshot: Pick<Snapshot, 'tips'>): void;
  /** Keeps where the refs are now, if the state is marked. */
  keep(snapshot: Pick<Snapshot, 'tips'>): void;
}

/**
 * State on refs/blueflame/*. Success is reported after the refs moved, never before. `rev`, `updated_at`
 * of what changes are set by the store.
 */
export interface Store<Seen extends Snapshot = Snapshot, Looked extends Look = Look> {
  snapshot(): Promise<Seen>;
  /**
   * For who only looks, at one session or (null) at the list of them: notes of other sessions' tasks are not looked
   * into, so `problems` names only what their trees show.
   */
  readOneSession(pick: (sessions: Pick<Snapshot, 'sessions' | 'current'>) => SessionId | null): Promise<Looked>;
  /**
   * Compare-and-swap: `decide` sees the newest snapshot and returns what to change (null: nothing).
   * On a lost race it's called again with a newer one.
   */
  transact(decide: DecideTransaction<Seen>): Promise<TransactResult<Seen>>;
  /**
   * Reports from now on each time the state may have changed, whichever process changed it, a moment later. What other
   * hosts change on a network file system is not seen. The next call takes the place of this one; `close` ends it.
   */
  watch(onChange: () => void): Promise<void>;
  /** How a task was right before its latest change; null where that can't be read any more. */
  readFormerTask(task: Task): Promise<Task | null>;
  /** Reads archived state, in the same form; `reviewOn` answers for all landed commits. */
  archive(): Promise<Seen>;
  /**
   * Moves sessions with their tasks and verdicts out of what each snapshot reads, in one ref transaction. `pick` sees
   * the newest snapshot. Sessions of which a note can't be read stay. Resolves to those that were moved.
   */
  moveToArchive(pick: (snapshot: Snapshot) => readonly SessionId[], actor: string): Promise<readonly SessionId[]>;
  /** Reads signatures, by session; notes that can't be read are left out. */
  signatures(): Promise<readonly SignatureNote[]>;
  /** Newest first. */
  log(filter: {
    readonly session?: SessionId;
    readonly task?: string;
    readonly limit?: number;
  }): Promise<readonly StateLogEntry[]>;
  close(): Promise<void>;
}

/** The state as this clone trusts it. It records writes as decided here before the refs move. */
export type TrustedStore = Store<AdmittedSnapshot, OneSessionSnapshot>;
