import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { SessionLook, Snapshot } from '../../domain/ports/store-port.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Doubt } from '../../domain/state/doubt.ts';
import { landsOn } from '../../domain/state/lands-on.ts';
import type { Origins } from '../../domain/state/origins.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { shortId } from '../../util/short-id.ts';
import { begunAt } from './begun-at.ts';
import { landedDecision, sessionDecision, standingDecision } from './decisions.ts';
import { isSettled } from './filter-untrusted.ts';
import { isOwnEnd } from './own-versions.ts';

/**
 * What is known here beyond the notes of what they say has ended. It answers from memory; what it was not asked before it
 * finds out afterwards, and until then the answer is no.
 */
export interface EndEvidence {
  /** Whether a branch of this clone came to hold the commit since a time, in ms: itself, or by a merge. */
  came(question: BranchQuestion): 'by-merge' | 'itself' | null;
  /** Whether a merge that a branch of this clone came to hold since a time says that it brings the task's work. */
  names(question: LandingQuestion): boolean;
  /** The newest version of a note that counts here; null: there is none. */
  lastTask(task: Task): Task | null;
  lastSession(session: Session): Session | null;
}

export interface BranchQuestion {
  readonly branch: string;
  readonly since: number;
  readonly commit: ObjectId;
}

export interface LandingQuestion {
  readonly branch: string;
  readonly since: number;
  readonly task: Pick<Task, 'session' | 'id'>;
}

export interface HeedingEnds {
  readonly origins: Origins;
  readonly evidence: EndEvidence;
}

/** A snapshot with the ends alone that are so here, and what is said beyond them. */
export interface EndedSnapshot extends Snapshot {
  readonly doubts: readonly Doubt[];
}

/**
 * Takes out of a snapshot what another clone says has ended, of sessions that were decided about here: a task that is
 * merged or dropped, a changeset that landed, a session that ended. It counts where this clone recorded it, a named
 * signer signed it, or the base branch here holds the work. Else the last version that counts here is in its place.
 */
export function heedEnds(raw: Snapshot, heeding: HeedingEnds): EndedSnapshot {
  const heeded = heedSessions(raw, heeding, () => true);
  return {
    ...heeded,
    verdictsOn: (commit) => raw.verdictsOn(commit),
    verdictsOf: (session) => raw.verdictsOf(session),
    verificationsOn: (commit) => raw.verificationsOn(commit),
    reviewOn: (commit) => raw.reviewOn(commit),
    blackboardOf: (session) => raw.blackboardOf(session),
    get problems() {
      return raw.problems;
    },
  };
}

/** The same of one session alone. */
export function heedLook(raw: SessionLook, heeding: HeedingEnds, only: SessionId | null): SessionLook {
  const heeded = heedSessions(raw, heeding, ({ id }) => id === only);
  return {
    ...heeded,
    verdictsOn: (commit) => raw.verdictsOn(commit),
    blackboardOf: (session) => raw.blackboardOf(session),
    get problems() {
      return raw.problems;
    },
  };
}

/** Whether a session has ended by what another clone says alone: then its tasks show whether that is so. */
export function isEndedElsewhere(session: Session, { origins }: Pick<HeedingEnds, 'origins'>): boolean {
  return session.state === 'ended' && !isPast(session, origins);
}

function heedSessions(
  raw: Pick<Snapshot, 'sessions' | 'tasksOf'>,
  heeding: HeedingEnds,
  isWanted: (session: Session) => boolean,
): Pick<EndedSnapshot, 'sessions' | 'current' | 'tasksOf' | 'doubts'> {
  heeding.origins.refresh();
  const doubts: Doubt[] = [];
  const tasks = new Map<SessionId, readonly Task[]>();
  const sessions = raw.sessions.map((session): Session => {
    if (!isWanted(session) || isPast(session, heeding.origins)) return session;
    const judging = { ...heeding, branches: branchesOf(session, heeding), doubts };
    const asHere = raw.tasksOf(session.id).map((task) => heedTask(task, judging));
    tasks.set(session.id, asHere);
    return heedSession(session, asHere, judging);
  });
  return {
    sessions,
    current: sessions.findLast(({ state }) => state === 'active') ?? sessions.at(-1) ?? null,
    tasksOf: (session) => tasks.get(session) ?? raw.tasksOf(session),
    doubts,
  };
}

/** Nothing of it is this clone's to lose: it ended here or is archived, or nothing of it was ever decided here. */
function isPast(session: Session, origins: Origins): boolean {
  if (session.archived_at !== undefined || !origins.knows(session.id)) return true;
  return session.state === 'ended' && isOnce(pasts, origins, session, () => isOwnEnd(session, origins));
}

/** The branches a session's work lands on, as far as that was decided here: another clone could name any. */
export function branchesOf(session: Session, { origins, evidence }: HeedingEnds): readonly string[] {
  const ours = origins.has(sessionDecision(session)) ? session : evidence.lastSession(session);
  return ours === null ? [] : [...new Set([landsOn(ours), ours.base_branch])];
}

interface Judging extends HeedingEnds {
  readonly branches: readonly string[];
  readonly doubts: Doubt[];
}

function heedTask(task: Task, judging: Judging): Task {
  const { evidence, doubts, branches } = judging;
  if (!isSettled(task) || isBelieved(task, judging)) return task;
  const seen = evidence.lastTask(task) ?? asProposal(task);
  if (seen === task) return task;
  doubts.push({
    session: task.session,
    about: task.id,
    said: task.status === 'merged' ? `merged at ${shortId(task.commit)}` : 'dropped',
    counts: seen.status,
    branch: task.status === 'merged' ? (branches[0] ?? null) : null,
  });
  return seen;
}

// The same object each time, so that a comparison finds nothing changed.
const proposed = new WeakMap<Task, Task>();

/**
 * What a task that never was this clone's is until its end is so here: work it received, which a person is asked about.
 * One that was dropped asks for nothing and so takes nothing away.
 */
function asProposal(task: Task): Task {
  if (task.status !== 'merged') return task;
  const made = proposed.get(task) ?? {
    ...task,
    status: 'done',
    result: { status: null, notes: '', issues: [] },
  };
  proposed.set(task, made);
  return made;
}

/** Whether a task has ended here too: this clone or a signer recorded it, or its work is in the base. */
export function isBelieved(task: Task, { origins, evidence, branches }: Omit<Judging, 'doubts'>): boolean {
  return isOnce(
    ends,
    origins,
    task,
    () =>
      origins.has(standingDecision(task)) ||
      (task.status === 'merged' && branches.some((branch) => isBrought(task, branch, evidence))),
  );
}

/**
 * Whether a branch came to hold a task's work by a merge. A note can name any commit that was merged, another task's or a
 * person's own: so it is the one this clone knows as its work, or the merge says whose it is.
 */
function isBrought(
  task: Task & { readonly status: 'merged' },
  branch: string,
  evidence: EndEvidence,
): boolean {
  const since = begunAt(task.session);
  return (
    evidence.came({ branch, since, commit: task.commit }) === 'by-merge' &&
    (evidence.names({ branch, since, task }) || evidence.lastTask(task)?.commit === task.commit)
  );
}

type Known = WeakMap<Origins, WeakSet<object>>;

/** What was found to be so stays so: it costs a hash each time. */
const ends: Known = new WeakMap();
const pasts: Known = new WeakMap();

function isOnce(memory: Known, origins: Origins, thing: object, isSo: () => boolean): boolean {
  const known = memory.get(origins) ?? new WeakSet();
  memory.set(origins, known);
  if (known.has(thing)) return true;
  if (!isSo()) return false;
  known.add(thing);
  return true;
}

function heedSession(stored: Session, tasks: readonly Task[], judging: Judging): Session {
  const session = heedChangesets(stored, judging);
  const { origins, evidence, doubts } = judging;
  if (session.state !== 'ended' || isOwnEnd(session, origins)) return session;
  if (tasks.length > 0 && tasks.every(isSettled)) return session;
  const last = evidence.lastSession(stored);
  const counts = last === null || last.state === 'ended' ? null : `in wave ${last.wave}`;
  doubts.push({ session: session.id, about: '', said: 'ended', counts, branch: null });
  if (last === null) return session;
  const { cycle, wave, state, replans, proposal } = last;
  return { ...session, cycle, wave, state, replans, proposal };
}

function heedChangesets(session: Session, judging: Judging): Session {
  const { doubts, branches } = judging;
  const changesets = session.changesets.map((changeset): Changeset => {
    if (changeset.state !== 'landed' || hasLanded(session, changeset, judging)) return changeset;
    const said = `landed as ${changeset.landed_commit === null ? 'nothing' : shortId(changeset.landed_commit)}`;
    doubts.push({
      session: session.id,
      about: changeset.id,
      said,
      counts: 'not landed',
      branch: branches[0] ?? null,
    });
    // Whether it was built and approved here is asked of it as of any other.
    return { ...changeset, state: 'approved', landed_commit: null };
  });
  return changesets.every((one, at) => one === session.changesets[at]) ? session : { ...session, changesets };
}

function hasLanded(
  session: Session,
  changeset: Changeset,
  { origins, evidence, branches }: Judging,
): boolean {
  if (origins.has(landedDecision(session, changeset))) return true;
  const { landed_commit: landed, tasks } = changeset;
  if (landed === null || tasks.length === 0) return false;
  const since = begunAt(session.id);
  return branches.some(
    (branch) =>
      evidence.came({ branch, since, commit: landed }) !== null &&
      tasks.every((id) => evidence.names({ branch, since, task: { session: session.id, id } })),
  );
}
