import type { AdmittedSession, Snapshot } from '../../domain/ports/store-port.ts';
import type { BlackboardPage } from '../../domain/state/blackboard.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { isChangesetOpen } from '../../domain/state/changeset-facts.ts';
import type { DecisionLog, LoggedDecision } from '../../domain/state/decision-log.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { expandTaskAttempts } from '../../domain/state/task-facts.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { voidChangesetsWithoutTasks } from '../changesets/void-changesets-without-tasks.ts';
import {
  toAdapterDecision,
  toApprovalDecision,
  toChangesetBuiltDecision,
  toCheckoutDecision,
  toLeftNoteDecision,
  toObjectiveDecision,
  toRaisedLimitDecision,
  toReplanDecision,
  toServicePauseDecision,
  toSessionStateDecision,
  toTaskPlanDecision,
  toTaskStateDecision,
  toVerdictDecision,
} from './make-decisions.ts';

/** Rules that decide which parts of a state are trusted. */
export interface TrustRules {
  readonly decided: DecisionLog;
  /** Whether the configuration offers an adapter to the tasks' role. */
  readonly isOffered: (adapter: string) => boolean;
}

/** Result of filtering the notes of a session and its tasks. */
export type FilteredSession = Omit<AdmittedSession, 'snapshot'>;

/** A session with its tasks, and the verdicts found on their commits. */
interface Stored extends Pick<Snapshot, 'verdictsOn'> {
  readonly session: Session;
  readonly tasks: readonly Task[];
}

/** Remembers things that one kind of decision made trusted: each is looked up once, since that costs a hash. */
export class TrustCache {
  readonly #known = new WeakMap<DecisionLog, WeakSet<object>>();

  /** Whether the decision about the thing is in the log. */
  has<T extends object>(decided: DecisionLog, thing: T, decide: (thing: T) => LoggedDecision): boolean {
    return this.isSo(decided, thing, () => decided.has(decide(thing)));
  }

  /** Asks any other question about the thing; a yes is remembered. */
  isSo(decided: DecisionLog, thing: object, ask: () => boolean): boolean {
    const known = this.#known.get(decided) ?? new WeakSet();
    this.#known.set(decided, known);
    if (known.has(thing)) return true;
    if (!ask()) return false;
    known.add(thing);
    return true;
  }
}

// What is trusted stays so: it is looked up once for each thing, which costs a hash.
const known = new TrustCache();
const taskStates = new TrustCache();
const built = new TrustCache();

/** Filters a session and its tasks: what was decided neither here nor by a named signer is left out or undone. */
export function filterUntrustedSession({ session, tasks, ...snapshot }: Stored, rules: TrustRules): FilteredSession {
  const { decided } = rules;
  decided.refresh();
  const ours: Task[] = [];
  const received: Task[] = [];
  const elsewhere = new Set<string>();
  for (const task of tasks) {
    const stands = isMergedOrDropped(task) || isTaskStateTrusted(task, decided);
    if (
      isMergedOrDropped(task) ||
      (isTaskPlanTrusted(task, decided) && isRunnable(task, rules) && (stands || !startsSomething(task)))
    )
      ours.push(judgedHere(task, snapshot, rules));
    else received.push(task);
    if (!stands) elsewhere.add(task.id);
  }
  const isOurs = isSessionOurs(session, decided);
  const withheld = new Set<string>(received.map(({ id }) => id));
  const filtered = voidChangesetsWithoutTasks(withoutProposals(session, withheld, { ...rules, isOurs }), tasks);
  const stored = voidChangesetsWithoutTasks(session, tasks);
  return { session: filtered, tasks: ours, received, elsewhere, isOurs, stored };
}

/** A session that this clone wrote or admitted whole, as it is; only adapters that are not offered are asked about. */
export function admitOwnSession({ session, tasks }: Omit<Stored, 'verdictsOn'>, rules: TrustRules): FilteredSession {
  const stored = voidChangesetsWithoutTasks(session, tasks);
  const received = tasks.filter((task) => !isMergedOrDropped(task) && !isRunnable(task, rules));
  const ours = received.length === 0 ? tasks : tasks.filter((task) => !received.includes(task));
  return { session: stored, tasks: ours, received, elsewhere: new Set(), isOurs: true, stored };
}

/** Whether a verdict was found here, or by a named signer. */
export function isTrustedVerdict(verdict: Verdict, decided: DecisionLog): boolean {
  return known.has(decided, verdict, toVerdictDecision);
}

/** Pages of notes for later tasks, without the notes of other clones. */
export function filterUntrustedNotes(
  pages: readonly BlackboardPage[],
  decided: DecisionLog,
): readonly BlackboardPage[] {
  return pages.map((page) => ({
    ...page,
    notes: page.notes.filter((note) => known.has(decided, note, (one) => toLeftNoteDecision(page, one))),
  }));
}

/** Nothing is started, judged or landed for it any more. */
export function isMergedOrDropped({ status }: Task): boolean {
  return status === 'merged' || status === 'dropped';
}

/** True if this clone acts on the task by itself: an agent begins, or work is judged and merged. */
function startsSomething({ status }: Task): boolean {
  return status === 'pending' || status === 'requeued' || status === 'done';
}

/** Whether a task is exactly what this clone made of it last, or its person accepted. */
export function isTaskStateTrusted(task: Task, decided: DecisionLog): boolean {
  return taskStates.has(decided, task, toTaskStateDecision);
}

/** An ended session starts nothing: whether it continues is asked once it does. */
function isSessionOurs(session: Session, decided: DecisionLog): boolean {
  if (!decided.has(toObjectiveDecision(session))) return false;
  return session.state === 'ended' || decided.has(toSessionStateDecision(session)) || isSentBack(session, decided);
}

/** Whether this clone was at work on the plan that only another one sent back: here it continues with it. */
function isSentBack(session: Session, decided: DecisionLog): boolean {
  const { wave, state } = session;
  if (wave !== 'plan' || state === 'ended' || decided.has(toSessionStateDecision(session))) return false;
  return decided.has(toSessionStateDecision(atWork(session)));
}

function atWork(session: Session): Session {
  return { ...session, wave: 'work' };
}

/** Whether what is asked of a task was decided here, or by a named signer. */
export function isTaskPlanTrusted(task: Task, decided: DecisionLog): boolean {
  return known.has(decided, task, toTaskPlanDecision);
}

/** Whether each adapter of a task is offered, or a person chose it. */
function isRunnable(task: Task, { decided, isOffered }: TrustRules): boolean {
  return expandTaskAttempts(task).every(
    (one) => one.adapter === null || isOffered(one.adapter) || decided.has(toAdapterDecision(one)),
  );
}

/** A result that rests on no verdict of this clone is none: the work is judged here. */
function judgedHere(task: Task, snapshot: Pick<Snapshot, 'verdictsOn'>, { decided }: TrustRules): Task {
  const { status, commit, result } = task;
  if (status !== 'done' || result.status === null || commit === null) return task;
  const about = snapshot
    .verdictsOn(commit)
    .filter(({ session, task: id }) => session === task.session && id === task.id);
  const found = about.findLast((verdict) => known.has(decided, verdict, toVerdictDecision));
  return found?.status === result.status ? task : unjudged(task);
}

// The same object each time, so that a comparison finds nothing changed.
const unjudgedTasks = new WeakMap<Task, Task>();

function unjudged(task: Task): Task {
  const known = unjudgedTasks.get(task);
  if (known !== undefined) return known;
  const made: Task = { ...task, result: { status: null, notes: '', issues: [] } };
  unjudgedTasks.set(task, made);
  return made;
}

function withoutProposals(
  session: Session,
  withheld: ReadonlySet<string>,
  { decided, isOurs }: Pick<TrustRules, 'decided'> & { readonly isOurs: boolean },
): Session {
  const {
    raised_limit: raised,
    replan_notes: notes,
    sent_back,
    checkout,
    landing,
    ...rest
  } = isOurs && isSentBack(session, decided) ? atWork(session) : session;
  const isHere = (decision: LoggedDecision): boolean => decided.has(decision);
  const replan = toReplanDecision(session);
  const isReplannedHere = replan !== null && isHere(replan);
  const isRaisedHere = raised === null || isHere(toRaisedLimitDecision(session, raised));
  return {
    ...rest,
    // Where it lands is part of what the person has not agreed to yet.
    ...(landing === undefined || !isOurs ? {} : { landing }),
    changesets: session.changesets.map((changeset) => filterChangeset(session, changeset, withheld, decided)),
    raised_limit: isRaisedHere ? raised : decided.highestLimit(session.id),
    // Another clone's limit is no evidence that this one is refused too; it finds out by asking.
    pauses: session.pauses.filter((pause) => isHere(toServicePauseDecision(session, pause))),
    replan_notes: isReplannedHere ? notes : null,
    ...(sent_back !== undefined && isReplannedHere ? { sent_back } : {}),
    checkout: checkout !== null && isHere(toCheckoutDecision(session, checkout)) ? checkout : null,
  };
}

function filterChangeset(
  session: Session,
  changeset: Changeset,
  withheld: ReadonlySet<string>,
  decided: DecisionLog,
): Changeset {
  if (!isChangesetOpen(changeset)) return changeset;
  const first = changeset.tasks.find((id) => withheld.has(id));
  if (first !== undefined)
    return { ...changeset, state: 'deferred', reason: `${first} was received and is not approved here yet` };
  // What another clone merged is merged here again, from the commits of its tasks alone.
  if (!built.has(decided, changeset, (one) => toChangesetBuiltDecision(session, one)))
    return { ...changeset, state: 'void', reason: 'built in another clone' };
  const isWaiting = changeset.state === 'waiting';
  if (isWaiting || known.has(decided, changeset, (one) => toApprovalDecision(session, one))) return changeset;
  return { ...changeset, state: 'waiting', reason: null, decided_by: null };
}
