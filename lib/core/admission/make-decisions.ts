import type { ObjectId } from '../../domain/ids.ts';
import type { BlackboardNote, BlackboardPage } from '../../domain/state/blackboard.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { LoggedDecision } from '../../domain/state/decision-log.ts';
import type { MemoryEntry } from '../../domain/state/memory.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { expandTaskAttempts } from '../../domain/state/task-facts.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { pickDecidedKeys, pickTaskPlan } from '../task/task-keys.ts';

/** All that a session's note decides. */
export function listDecisionsInSession(session: Session): readonly LoggedDecision[] {
  const { raised_limit: raised, checkout, pauses, changesets } = session;
  const replan = toReplanDecision(session);
  return [
    toObjectiveDecision(session),
    toSessionStateDecision(session),
    ...(raised === null ? [] : [toRaisedLimitDecision(session, raised)]),
    ...(checkout === null ? [] : [toCheckoutDecision(session, checkout)]),
    ...(replan === null ? [] : [replan]),
    ...pauses.map((pause) => toServicePauseDecision(session, pause)),
    ...changesets.flatMap((changeset) => [
      toChangesetBuiltDecision(session, changeset),
      ...(changeset.state === 'approved' ? [toApprovalDecision(session, changeset)] : []),
      ...(changeset.state === 'landed' ? [toLandedDecision(session, changeset)] : []),
    ]),
  ];
}

/** The objective of a session and the branch it lands on. */
export function toObjectiveDecision({ id, objective, base_branch, landing }: Session): LoggedDecision {
  const branch = landing === undefined ? null : { name: landing.branch, from: landing.from };
  return { kind: 'session', session: id, about: '', facts: { objective, base_branch, branch } };
}

/** The plan of a task, and whose work it continues. */
export function toTaskPlanDecision(task: Task): LoggedDecision {
  // The id is enough for thousands of foreign tasks: only those that may be trusted are looked at.
  return {
    kind: 'task',
    session: task.session,
    about: task.id,
    get facts() {
      return taskFacts(task);
    },
  };
}

function taskFacts(task: Task): LoggedDecision['facts'] {
  const { id: _, ...facts } = pickTaskPlan(task);
  return { ...facts, role: task.role, ...pickDecidedKeys(task, 'task') };
}

/**
 * The state of a task: its status, the work it names and the parts of its history that agents read decide what this
 * clone starts for it. Findings about done work belong to its verdict.
 */
export function toTaskStateDecision(task: Task): LoggedDecision {
  return {
    kind: 'standing',
    session: task.session,
    about: task.id,
    get facts() {
      return standingFacts(task);
    },
  };
}

function standingFacts(task: Task): LoggedDecision['facts'] {
  const { status, commit, start_commit: start, retry_count: retries, history } = task;
  const { agent_id: agent, claimed_by: by, claimed_host: host, claimed_at: at, result, reason } = task;
  const claim = status === 'claimed' ? { agent, by, host, at } : null;
  const outcome = status === 'done' ? null : { result, reason };
  return {
    status,
    commit,
    start,
    retries,
    history,
    claim,
    told: outcome,
    ...pickDecidedKeys(task, 'standing'),
  };
}

/** Decision that a session continues, in which cycle, and with which plan where that comes next. */
export function toSessionStateDecision({ id, state, cycle, wave, replans, proposal }: Session): LoggedDecision {
  const plan = wave === 'plan' || proposal !== null ? { replans, proposal } : null;
  return { kind: 'course', session: id, about: '', facts: { is_open: state !== 'ended', cycle, plan } };
}

/** The adapter of a task as a person chose it. */
export function toAdapterDecision({ session, id, adapter }: Pick<Task, 'session' | 'id' | 'adapter'>): LoggedDecision {
  return { kind: 'adapter', session, about: id, facts: { adapter } };
}

/** The decisions of a person who writes a task by hand: all of it, and the adapter too. */
export function listDecisionsOfManualTask(task: Task): readonly LoggedDecision[] {
  return [toTaskPlanDecision(task), toTaskStateDecision(task), ...listAdapterDecisions(task)];
}

/** The adapters of a task's attempts, as a person chose them. */
export function listAdapterDecisions(
  task: Pick<Task, 'session' | 'id' | 'adapter' | 'model' | 'attempts'>,
): readonly LoggedDecision[] {
  const chosen = new Set(expandTaskAttempts(task).map(({ adapter }) => adapter));
  const { session, id } = task;
  return [...chosen].flatMap((adapter) => (adapter === null ? [] : [toAdapterDecision({ session, id, adapter })]));
}

/** A verdict, whole, as its note holds it: its words and checks are what a person decides by. */
export function toVerdictDecision(verdict: Verdict): LoggedDecision {
  return { kind: 'verdict', session: verdict.session, about: verdict.task, facts: verdict };
}

/** Decision that a changeset was built, and its checks were run. */
export function toChangesetBuiltDecision({ id }: Pick<Session, 'id'>, changeset: Changeset): LoggedDecision {
  const { group, tasks, works, base, parent, commit, diagnostics, depends_on } = changeset;
  const diagnosed = changeset.diagnosed === undefined ? {} : { diagnosed: changeset.diagnosed };
  // It may not land without these: the person is shown the difference to them.
  const below = depends_on.length === 0 ? {} : { depends_on };
  const facts = { group, tasks, works, base, parent, commit, diagnostics, ...diagnosed, ...below };
  return { kind: 'changeset', session: id, about: changeset.id, facts };
}

/** The approval of exactly one commit. */
export function toApprovalDecision({ id }: Pick<Session, 'id'>, changeset: Changeset): LoggedDecision {
  const { group, tasks, base, parent, commit, reason, decided_by } = changeset;
  const worded = changeset.message === undefined ? {} : { message: changeset.message };
  const facts = { group, tasks, base, parent, commit, override: reason, by: decided_by, ...worded };
  return { kind: 'approval', session: id, about: changeset.id, facts };
}

/** The message a person wrote for a changeset to land with. It holds for any commit the changeset is built as. */
export function toLandingMessageDecision({ id }: Pick<Session, 'id'>, changeset: Changeset): LoggedDecision {
  const { group, works, message } = changeset;
  return { kind: 'message', session: id, about: changeset.id, facts: { group, works, message } };
}

/** Decision that a changeset landed, and as which commit. */
export function toLandedDecision({ id }: Pick<Session, 'id'>, changeset: Changeset): LoggedDecision {
  const { group, tasks, commit, landed_commit: landed } = changeset;
  return { kind: 'landed', session: id, about: changeset.id, facts: { group, tasks, commit, landed } };
}

export function toRaisedLimitDecision({ id }: Pick<Session, 'id'>, amount: number): LoggedDecision {
  return { kind: 'limit', session: id, about: '', facts: { amount } };
}

/** The text about earlier plans for the next planner; null: none. */
export function toReplanDecision({ id, replan_notes: notes, sent_back }: Session): LoggedDecision | null {
  if (notes === null && sent_back === undefined) return null;
  return { kind: 'replan', session: id, about: '', facts: { notes, sent_back: sent_back ?? null } };
}

export function toCheckoutDecision(
  { id }: Pick<Session, 'id'>,
  checkout: NonNullable<Session['checkout']>,
): LoggedDecision {
  return { kind: 'checkout', session: id, about: '', facts: checkout };
}

/** Decision that a service can't be asked before a time, as it answered here. */
export function toServicePauseDecision({ id }: Pick<Session, 'id'>, pause: Session['pauses'][number]): LoggedDecision {
  return { kind: 'pause', session: id, about: pause.adapter, facts: { until: pause.until } };
}

/** A memory entry, which later planners are shown whole. */
export function toMemoryDecision({ session, task, v: _, rev: __, ...facts }: MemoryEntry): LoggedDecision {
  return { kind: 'memory', session, about: task ?? '', facts };
}

/** Decision that a note was left here for later tasks: agents are shown no others. */
export function toLeftNoteDecision(
  { session, task }: Pick<BlackboardPage, 'session' | 'task'>,
  note: BlackboardNote,
): LoggedDecision {
  return { kind: 'note', session, about: task ?? '', facts: note };
}

/** Decision that verdicts of the machine with this key count. */
export function toMachineTrustDecision({ id }: Pick<Session, 'id'>, key: string): LoggedDecision {
  return { kind: 'machine', session: id, about: key, facts: { role: 'validate' } };
}

/** Decision that a task's commits were judged by its rules, and accepted. */
export function toAcceptedCommitsDecision(
  task: Pick<Task, 'session' | 'id' | 'file_locks'> & {
    readonly commit: ObjectId | null;
    readonly start_commit: ObjectId | null;
  },
  config: string,
): LoggedDecision {
  const { session, id, commit, start_commit: start, file_locks: locks } = task;
  return { kind: 'work', session, about: id, facts: { commit, start, locks, config } };
}

/** Decision that the diagnostics were run on a commit, and their results are known. */
export function toDiagnosticsRunDecision(
  { id }: Pick<Session, 'id'>,
  commit: ObjectId,
  config: string,
): LoggedDecision {
  return { kind: 'checks', session: id, about: '', facts: { commit, config } };
}
