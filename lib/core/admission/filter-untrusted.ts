import type { ObjectId } from '../../domain/ids.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import { attemptsOf } from '../../domain/state/attempts-of.ts';
import type { BlackboardPage } from '../../domain/state/blackboard.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Decision, Origins } from '../../domain/state/origins.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { voidWithdrawn } from '../changesets/void-withdrawn.ts';
import {
  adapterDecision,
  approvalDecision,
  builtDecision,
  checkoutDecision,
  courseDecision,
  limitDecision,
  noteDecision,
  pauseDecision,
  replanDecision,
  sessionDecision,
  standingDecision,
  taskDecision,
  verdictDecision,
} from './decisions.ts';

/** What is needed to say which decisions count. */
export interface Heeding {
  readonly origins: Origins;
  /** Whether the configuration offers an adapter to the tasks' role. */
  readonly isOffered: (adapter: string) => boolean;
}

/** A session and its tasks with nothing in them that only another clone decided. */
export interface HeededSession {
  /** The session with what doesn't count taken back: an approval waits again, a limit is not raised. */
  readonly session: Session;
  /**
   * The tasks that were planned here, or are settled. Those that start something are as this clone left them.
   */
  readonly tasks: readonly Task[];
  /** Open tasks that no person here has decided about, as they are. */
  readonly received: readonly Task[];
  /** Ids of all tasks that are not as this clone left them or as its person accepted them. */
  readonly elsewhere: ReadonlySet<string>;
  /**
   * Whether the session itself was decided here: its objective, where it lands, that it continues and plans.
   */
  readonly isOurs: boolean;
}

/**
 * Takes out of a session and its tasks whatever was decided neither here nor by a signer the person named.
 */
export function heedDecisions(
  {
    session,
    tasks,
    snapshot,
  }: { readonly session: Session; readonly tasks: readonly Task[]; readonly snapshot: Verdicts },
  heeding: Heeding,
): HeededSession {
  heeding.origins.refresh();
  const ours: Task[] = [];
  const received: Task[] = [];
  const elsewhere = new Set<string>();
  for (const task of tasks) {
    const stands = isSettled(task) || standsAsLeft(task, heeding.origins);
    if (isSettled(task) || (isPlannedHere(task, heeding) && (stands || !startsSomething(task))))
      ours.push(judgedHere(task, snapshot, heeding));
    else received.push(task);
    if (!stands) elsewhere.add(task.id);
  }
  const isOurs = isSessionOurs(session, heeding.origins);
  const withheld = new Set<string>(received.map(({ id }) => id));
  const heeded = voidWithdrawn(heedSession(session, withheld, { ...heeding, isOurs }), tasks);
  return { session: heeded, tasks: ours, received, elsewhere, isOurs };
}

/** A snapshot with the verdicts alone that were found here, and what was left here for later tasks. */
export function heedVerdicts(snapshot: Snapshot, origins: Origins): Snapshot {
  const isHere = (verdict: Verdict): boolean => isKnown(known, origins, verdict, verdictDecision);
  return {
    sessions: snapshot.sessions,
    current: snapshot.current,
    tasksOf: (session) => snapshot.tasksOf(session),
    verdictsOn: (commit) => snapshot.verdictsOn(commit).filter(isHere),
    verdictsOf: (session) => snapshot.verdictsOf(session).filter(isHere),
    verificationsOn: (commit) => snapshot.verificationsOn(commit),
    reviewOn: (commit) => snapshot.reviewOn(commit),
    blackboardOf: (session) => heedPages(snapshot.blackboardOf(session), origins),
    doubts: snapshot.doubts ?? [],
    get problems() {
      return snapshot.problems;
    },
  };
}

/** What was left for later tasks without the notes of other clones. */
export function heedPages(pages: readonly BlackboardPage[], origins: Origins): readonly BlackboardPage[] {
  return pages.map((page) => ({
    ...page,
    notes: page.notes.filter((note) => isKnown(known, origins, note, (one) => noteDecision(page, one))),
  }));
}

type Verdicts = Pick<Snapshot, 'verdictsOn'>;

/** Nothing is started, judged or landed for it any more. */
export function isSettled({ status }: Task): boolean {
  return status === 'merged' || status === 'dropped';
}

/** What a clone does about a task by itself: an agent begins, work is judged and merged. */
function startsSomething({ status }: Task): boolean {
  return status === 'pending' || status === 'requeued' || status === 'done';
}

/** Whether a task is exactly what this clone made of it last, or its person accepted. */
export function standsAsLeft(task: Task, origins: Origins): boolean {
  return isKnown(standing, origins, task, standingDecision);
}

/** An ended session starts nothing: whether it continues is asked once it does. */
function isSessionOurs(session: Session, origins: Origins): boolean {
  if (!origins.has(sessionDecision(session))) return false;
  return session.state === 'ended' || origins.has(courseDecision(session)) || isSentBack(session, origins);
}

/** Whether this clone was at work on the plan that only another one sent back: here it continues with it. */
function isSentBack(session: Session, origins: Origins): boolean {
  const { wave, state } = session;
  if (wave !== 'plan' || state === 'ended' || origins.has(courseDecision(session))) return false;
  return origins.has(courseDecision(atWork(session)));
}

function atWork(session: Session): Session {
  return { ...session, wave: 'work' };
}

function isPlannedHere(task: Task, { origins, isOffered }: Heeding): boolean {
  if (!isKnown(known, origins, task, taskDecision)) return false;
  return attemptsOf(task).every(
    (one) => one.adapter === null || isOffered(one.adapter) || origins.has(adapterDecision(one)),
  );
}

/** A result that rests on no verdict of this clone is none: the work is judged here. */
function judgedHere(task: Task, snapshot: Verdicts, { origins }: Heeding): Task {
  const { status, commit, result } = task;
  if (status !== 'done' || result.status === null || commit === null) return task;
  const found = verdictsAbout(task, commit, snapshot).findLast((verdict) =>
    isKnown(known, origins, verdict, verdictDecision),
  );
  return found?.status === result.status ? task : unjudged(task);
}

function verdictsAbout({ session, id }: Task, commit: ObjectId, snapshot: Verdicts): readonly Verdict[] {
  return snapshot.verdictsOn(commit).filter((verdict) => verdict.session === session && verdict.task === id);
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

function heedSession(
  session: Session,
  withheld: ReadonlySet<string>,
  { origins, isOurs }: Pick<Heeding, 'origins'> & { readonly isOurs: boolean },
): Session {
  const {
    raised_limit: raised,
    replan_notes: notes,
    sent_back,
    checkout,
    landing,
    ...rest
  } = isOurs && isSentBack(session, origins) ? atWork(session) : session;
  const isHere = (decision: Decision): boolean => origins.has(decision);
  const told = replanDecision(session);
  const isToldHere = told !== null && isHere(told);
  const isRaisedHere = raised === null || isHere(limitDecision(session, raised));
  return {
    ...rest,
    // Where it lands is part of what the person has not agreed to yet.
    ...(landing === undefined || !isOurs ? {} : { landing }),
    changesets: session.changesets.map((changeset) => heedChangeset(session, changeset, withheld, origins)),
    raised_limit: isRaisedHere ? raised : origins.highestLimit(session.id),
    // Another clone's limit is no evidence that this one is refused too; it finds out by asking.
    pauses: session.pauses.filter((pause) => isHere(pauseDecision(session, pause))),
    replan_notes: isToldHere ? notes : null,
    ...(sent_back !== undefined && isToldHere ? { sent_back } : {}),
    checkout: checkout !== null && isHere(checkoutDecision(session, checkout)) ? checkout : null,
  };
}

function heedChangeset(
  session: Session,
  changeset: Changeset,
  withheld: ReadonlySet<string>,
  origins: Origins,
): Changeset {
  const { state } = changeset;
  if (state !== 'waiting' && state !== 'approved') return changeset;
  const first = changeset.tasks.find((id) => withheld.has(id));
  if (first !== undefined)
    return { ...changeset, state: 'deferred', reason: `${first} was received and not approved here yet` };
  // What another clone merged is merged here again, from the commits of its tasks alone.
  if (!isKnown(builtHere, origins, changeset, (one) => builtDecision(session, one)))
    return { ...changeset, state: 'void', reason: 'built in another clone' };
  if (state === 'waiting' || isKnown(known, origins, changeset, (one) => approvalDecision(session, one)))
    return changeset;
  return { ...changeset, state: 'waiting', reason: null, decided_by: null };
}

type Known = WeakMap<Origins, WeakSet<object>>;

/** What counts continues to count: it is looked up once for each thing, which costs a hash. */
const known: Known = new WeakMap();
const standing: Known = new WeakMap();
const builtHere: Known = new WeakMap();

function isKnown<T extends object>(
  memory: Known,
  origins: Origins,
  thing: T,
  decide: (thing: T) => Decision,
): boolean {
  let found = memory.get(origins);
  if (found === undefined) {
    found = new WeakSet();
    memory.set(origins, found);
  }
  if (found.has(thing)) return true;
  const isHere = origins.has(decide(thing));
  if (isHere) found.add(thing);
  return isHere;
}
