import type { ObjectId } from '../../domain/ids.ts';
import type { BlackboardPage, LeftNote } from '../../domain/state/blackboard.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Decision } from '../../domain/state/decision-log.ts';
import type { SharedRole } from '../../domain/state/machine.ts';
import type { MemoryEntry } from '../../domain/state/memory.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { attemptsOf } from '../../domain/state/task-facts.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { decidedKeys, planOf } from '../task/task-keys.ts';

/** All that a session's note decides. */
export function sessionDecisions(session: Session): readonly Decision[] {
  const { raised_limit: raised, checkout, pauses, changesets } = session;
  const replan = replanDecision(session);
  return [
    sessionDecision(session),
    sessionStateDecision(session),
    ...(raised === null ? [] : [limitDecision(session, raised)]),
    ...(checkout === null ? [] : [checkoutDecision(session, checkout)]),
    ...(replan === null ? [] : [replan]),
    ...pauses.map((pause) => pauseDecision(session, pause)),
    ...changesets.flatMap((changeset) => [
      builtDecision(session, changeset),
      ...(changeset.state === 'approved' ? [approvalDecision(session, changeset)] : []),
      ...(changeset.state === 'landed' ? [landedDecision(session, changeset)] : []),
    ]),
  ];
}

/** The objective of a session and the branch it lands on. */
export function sessionDecision({ id, objective, base_branch, landing }: Session): Decision {
  const branch = landing === undefined ? null : { name: landing.branch, from: landing.from };
  return { kind: 'session', session: id, about: '', facts: { objective, base_branch, branch } };
}

/** The plan of a task, and whose work it continues. */
export function taskDecision(task: Task): Decision {
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

function taskFacts(task: Task): Decision['facts'] {
  const { id: _, ...facts } = planOf(task);
  return { ...facts, role: task.role, ...decidedKeys(task, 'task') };
}

/**
 * The state of a task: its status, the work it names and the parts of its history that agents read decide what this
 * clone starts for it. Findings about done work belong to its verdict.
 */
export function taskStateDecision(task: Task): Decision {
  return {
    kind: 'standing',
    session: task.session,
    about: task.id,
    get facts() {
      return standingFacts(task);
    },
  };
}

function standingFacts(task: Task): Decision['facts'] {
  const { status, commit, start_commit: start, retry_count: retries, history } = task;
  const { agent_id: agent, claimed_by: by, claimed_host: host, claimed_at: at, result, reason } = task;
  const claim = status === 'claimed' ? { agent, by, host, at } : null;
  const outcome = status === 'done' ? null : { result, reason };
  return { status, commit, start, retries, history, claim, told: outcome, ...decidedKeys(task, 'standing') };
}

/** Decision that a session continues, in which cycle, and with which plan where that comes next. */
export function sessionStateDecision({ id, state, cycle, wave, replans, proposal }: Session): Decision {
  const plan = wave === 'plan' || proposal !== null ? { replans, proposal } : null;
  return { kind: 'course', session: id, about: '', facts: { is_open: state !== 'ended', cycle, plan } };
}

/** The adapter of a task as a person chose it. */
export function adapterDecision({
  session,
  id,
  adapter,
}: Pick<Task, 'session' | 'id' | 'adapter'>): Decision {
  return { kind: 'adapter', session, about: id, facts: { adapter } };
}

/** The decisions of a person who writes a task by hand: all of it, and the adapter too. */
export function manualDecisions(task: Task): readonly Decision[] {
  return [taskDecision(task), taskStateDecision(task), ...adapterDecisions(task)];
}

/** The adapters of a task's attempts, as a person chose them. */
export function adapterDecisions(
  task: Pick<Task, 'session' | 'id' | 'adapter' | 'model' | 'attempts'>,
): readonly Decision[] {
  const chosen = new Set(attemptsOf(task).map(({ adapter }) => adapter));
  const { session, id } = task;
  return [...chosen].flatMap((adapter) =>
    adapter === null ? [] : [adapterDecision({ session, id, adapter })],
  );
}

/** A verdict, whole, as its note holds it: its words and checks are what a person decides by. */
export function verdictDecision(verdict: Verdict): Decision {
  return { kind: 'verdict', session: verdict.session, about: verdict.task, facts: verdict };
}

/** Decision that a changeset was built, and its checks were run. */
export function builtDecision({ id }: Pick<Session, 'id'>, changeset: Changeset): Decision {
  const { group, tasks, base, parent, commit, diagnostics, depends_on } = changeset;
  const works = changeset.works === undefined ? {} : { works: changeset.works };
  // It may not land without these: the person is shown the difference to them.
  const below = depends_on.length === 0 ? {} : { depends_on };
  const facts = { group, tasks, base, parent, commit, diagnostics, ...works, ...below };
  return { kind: 'changeset', session: id, about: changeset.id, facts };
}

/** The approval of exactly one commit. */
export function approvalDecision({ id }: Pick<Session, 'id'>, changeset: Changeset): Decision {
  const { group, tasks, base, parent, commit, reason, decided_by } = changeset;
  const worded = changeset.message === undefined ? {} : { message: changeset.message };
  const facts = { group, tasks, base, parent, commit, override: reason, by: decided_by, ...worded };
  return { kind: 'approval', session: id, about: changeset.id, facts };
}

/** The message a person wrote for a changeset to land with. It holds for any commit the changeset is built as. */
export function messageDecision({ id }: Pick<Session, 'id'>, changeset: Changeset): Decision {
  const { group, works, message } = changeset;
  return { kind: 'message', session: id, about: changeset.id, facts: { group, works, message } };
}

/** Decision that a changeset landed, and as which commit. */
export function landedDecision({ id }: Pick<Session, 'id'>, changeset: Changeset): Decision {
  const { group, tasks, commit, landed_commit: landed } = changeset;
  return { kind: 'landed', session: id, about: changeset.id, facts: { group, tasks, commit, landed } };
}

export function limitDecision({ id }: Pick<Session, 'id'>, amount: number): Decision {
  return { kind: 'limit', session: id, about: '', facts: { amount } };
}

/** The text about earlier plans for the next planner; null: none. */
export function replanDecision({ id, replan_notes: notes, sent_back }: Session): Decision | null {
  if (notes === null && sent_back === undefined) return null;
  return { kind: 'replan', session: id, about: '', facts: { notes, sent_back: sent_back ?? null } };
}

export function checkoutDecision(
  { id }: Pick<Session, 'id'>,
  checkout: NonNullable<Session['checkout']>,
): Decision {
  return { kind: 'checkout', session: id, about: '', facts: checkout };
}

/** Decision that a service can't be asked before a time, as it answered here. */
export function pauseDecision({ id }: Pick<Session, 'id'>, pause: Session['pauses'][number]): Decision {
  return { kind: 'pause', session: id, about: pause.adapter, facts: { until: pause.until } };
}

/** A memory entry, which later planners are shown whole. */
export function memoryDecision({ session, task, v: _, rev: __, ...facts }: MemoryEntry): Decision {
  return { kind: 'memory', session, about: task ?? '', facts };
}

/** Decision that a note was left here for later tasks: agents are shown no others. */
export function noteDecision(
  { session, task }: Pick<BlackboardPage, 'session' | 'task'>,
  note: LeftNote,
): Decision {
  return { kind: 'note', session, about: task ?? '', facts: note };
}

/** Decision that the machine with this key is trusted in a role. */
export function machineDecision({ id }: Pick<Session, 'id'>, key: string, role: SharedRole): Decision {
  return { kind: 'machine', session: id, about: key, facts: { role } };
}

/** Decision that a task's commits were judged by its rules, and accepted. */
export function workDecision(
  task: Pick<Task, 'session' | 'id' | 'file_locks'> & {
    readonly commit: ObjectId | null;
    readonly start_commit: ObjectId | null;
  },
  config: string,
): Decision {
  const { session, id, commit, start_commit: start, file_locks: locks } = task;
  return { kind: 'work', session, about: id, facts: { commit, start, locks, config } };
}

/** Decision that the diagnostics were run on a commit, and their results are known. */
export function checksDecision({ id }: Pick<Session, 'id'>, commit: ObjectId, config: string): Decision {
  return { kind: 'checks', session: id, about: '', facts: { commit, config } };
}
