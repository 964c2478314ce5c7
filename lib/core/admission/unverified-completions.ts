import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task, UnverifiedCompletion } from '../../domain/state/task-schema.ts';
import { shortId } from '../../util/short-names.ts';
import { isMergedOrDropped, TrustCache } from './filter-untrusted.ts';
import { toLandedDecision, toObjectiveDecision, toTaskStateDecision } from './make-decisions.ts';
import { isEndDecidedHere } from './own-versions.ts';

/**
 * Local evidence that a completion reported by another clone is true. It answers from memory; what it was not asked before
 * it finds out afterwards, and until then the answer is no.
 */
export interface CompletionEvidence {
  /** Whether a branch of this clone came to hold the commit since a time, in ms: itself, or by a merge. */
  came(question: CommitOnBranchQuery): 'by-merge' | 'itself' | null;
  /** Whether a merge that a branch of this clone came to hold since a time names the task as its own. */
  names(question: MergeNamingTaskQuery): boolean;
  /** The newest trusted version of a note; null: there is none. */
  lastTask(task: Task): Task | null;
  lastSession(session: Session): Session | null;
}

export interface CommitOnBranchQuery {
  readonly branch: string;
  readonly since: number;
  readonly commit: ObjectId;
}

export interface MergeNamingTaskQuery {
  readonly branch: string;
  readonly since: number;
  readonly task: Pick<Task, 'session' | 'id'>;
}

export interface CompletionRules {
  readonly decided: DecisionLog;
  readonly evidence: CompletionEvidence;
}

/** Sessions with their tasks as far as their completions are verified, and those that are not. */
export interface VerifiedSessions extends Pick<Snapshot, 'sessions' | 'current' | 'tasksOf'> {
  readonly unverified: readonly UnverifiedCompletion[];
}

/** Whether only another clone reports a session as ended: then its tasks show whether that is true. */
export function isEndedElsewhere(session: Session, { decided }: Pick<CompletionRules, 'decided'>): boolean {
  return session.state === 'ended' && !isPast(session, decided);
}

/**
 * Removes unverified completions of sessions that were decided about here: a task that is merged or dropped, a changeset
 * that landed, a session that ended. Verified is what this clone recorded, a named signer signed, or the base branch here
 * proves. Else the last trusted version replaces it. `only`: the one session that is looked at.
 */
export function filterUnverifiedCompletions(
  raw: Pick<Snapshot, 'sessions' | 'tasksOf'>,
  rules: CompletionRules,
  only?: SessionId | null,
): VerifiedSessions {
  rules.decided.refresh();
  const unverified: UnverifiedCompletion[] = [];
  const tasks = new Map<SessionId, readonly Task[]>();
  const sessions = raw.sessions.map((session): Session => {
    const isWanted = only === undefined || session.id === only;
    if (!isWanted || isPast(session, rules.decided)) return session;
    const judging = { ...rules, branches: listTrustedLandingBranches(session, rules), unverified };
    const verified = raw.tasksOf(session.id).map((task) => filterTask(task, judging));
    tasks.set(session.id, verified);
    return filterSessionEnd(session, verified, judging);
  });
  return {
    sessions,
    current: sessions.findLast(({ state }) => state === 'active') ?? sessions.at(-1) ?? null,
    tasksOf: (session) => tasks.get(session) ?? raw.tasksOf(session),
    unverified,
  };
}

/** Nothing of it is this clone's to lose: it ended here or is archived, or nothing of it was ever decided here. */
function isPast(session: Session, decided: DecisionLog): boolean {
  if (session.archived_at !== undefined || !decided.hasDecidedInSession(session.id)) return true;
  return session.state === 'ended' && pasts.isSo(decided, session, () => isEndDecidedHere(session, decided));
}

/** The branches a session's work lands on, as far as that was decided here: another clone could name any. */
export function listTrustedLandingBranches(
  session: Session,
  { decided, evidence }: CompletionRules,
): readonly string[] {
  const ours = decided.has(toObjectiveDecision(session)) ? session : evidence.lastSession(session);
  return ours === null ? [] : [...new Set([findLandingBranch(ours), ours.base_branch])];
}

interface Judging extends CompletionRules {
  readonly branches: readonly string[];
  readonly unverified: UnverifiedCompletion[];
}

function filterTask(task: Task, judging: Judging): Task {
  const { evidence, unverified, branches } = judging;
  if (!isMergedOrDropped(task) || isTaskEndVerified(task, judging)) return task;
  const seen = evidence.lastTask(task) ?? asProposal(task);
  if (seen === task) return task;
  unverified.push({
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
 * A task that never was this clone's and whose end is not verified, as received work that a person is asked about. One that
 * was dropped asks for nothing and so takes nothing away.
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

/** Whether the end of a task is verified: this clone or a signer recorded it, or the base holds its work. */
export function isTaskEndVerified(task: Task, { decided, evidence, branches }: Omit<Judging, 'unverified'>): boolean {
  return ends.isSo(
    decided,
    task,
    () =>
      decided.has(toTaskStateDecision(task)) ||
      (task.status === 'merged' && branches.some((branch) => wasMergedInto(task, branch, evidence))),
  );
}

/**
 * Whether a branch came to hold a task's work by a merge. A note can name any commit that was merged, another task's or a
 * person's own: so it is the one this clone knows as its work, or the merge names the task.
 */
function wasMergedInto(
  task: Task & { readonly status: 'merged' },
  branch: string,
  evidence: CompletionEvidence,
): boolean {
  const since = sessionStartMs(task.session);
  return (
    evidence.came({ branch, since, commit: task.commit }) === 'by-merge' &&
    (evidence.names({ branch, since, task }) || evidence.lastTask(task)?.commit === task.commit)
  );
}

// Remembers what was found to be true: finding it costs a hash each time.
const ends = new TrustCache();
const pasts = new TrustCache();

/** When a session began, in ms, as its id has it: what was there before is no work of it. */
function sessionStartMs(session: SessionId): number {
  const [, ...parts] = /^ses-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/.exec(session) ?? [];
  const [year = 0, month = 1, ...rest] = parts.map(Number);
  const [day = 1, hour = 0, minute = 0, second = 0] = rest;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function filterSessionEnd(stored: Session, tasks: readonly Task[], judging: Judging): Session {
  const session = filterLandings(stored, judging);
  const { decided, evidence, unverified } = judging;
  if (session.state !== 'ended' || isEndDecidedHere(session, decided)) return session;
  if (tasks.length > 0 && tasks.every(isMergedOrDropped)) return session;
  const last = evidence.lastSession(stored);
  const counts = last === null || last.state === 'ended' ? null : `in wave ${last.wave}`;
  unverified.push({ session: session.id, about: '', said: 'ended', counts, branch: null });
  if (last === null) return session;
  const { cycle, wave, state, replans, proposal } = last;
  return { ...session, cycle, wave, state, replans, proposal };
}

function filterLandings(session: Session, judging: Judging): Session {
  const { unverified, branches } = judging;
  const changesets = session.changesets.map((changeset): Changeset => {
    if (changeset.state !== 'landed' || hasLanded(session, changeset, judging)) return changeset;
    const said = `landed as ${changeset.landed_commit === null ? 'nothing' : shortId(changeset.landed_commit)}`;
    unverified.push({
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

function hasLanded(session: Session, changeset: Changeset, { decided, evidence, branches }: Judging): boolean {
  if (decided.has(toLandedDecision(session, changeset))) return true;
  const { landed_commit: landed, tasks } = changeset;
  if (landed === null || tasks.length === 0) return false;
  const since = sessionStartMs(session.id);
  return branches.some(
    (branch) =>
      evidence.came({ branch, since, commit: landed }) !== null &&
      tasks.every((id) => evidence.names({ branch, since, task: { session: session.id, id } })),
  );
}
