import { type BlackboardPageChange, changeBlackboardPage } from '../core/blackboard/change-blackboard-page.ts';
import type { TaskChange } from '../core/task/task-state.ts';
import { ledElsewhereError } from '../domain/concurrency-errors.ts';
import type { ObjectId, SessionId } from '../domain/ids.ts';
import { noTaskError } from '../domain/input-errors.ts';
import type { RefUpdate } from '../domain/ports/git-port.ts';
import type { AdmittedSessionView, StateChange } from '../domain/ports/store-port.ts';
import type { LoggedDecision } from '../domain/state/decision-log.ts';
import type { Session } from '../domain/state/session-schema.ts';
import type { Task } from '../domain/state/task-schema.ts';
import type { DiagnosticsRerun, ReviewNote, Verdict } from '../domain/state/verdict.ts';
import type { RunContext } from './run-context.ts';

export type { AdmittedSessionView as SessionView } from '../domain/ports/store-port.ts';

/** Parts of a workshop for reading a session and recording in it, with the time of it. */
export type RecordContext = Pick<
  RunContext,
  'config' | 'events' | 'gates' | 'now' | 'decided' | 'remoteSession' | 'store'
>;

/** Changes that are made together: all of them or none. */
export interface ChangesToRecord {
  readonly steps?: readonly TaskChange[];
  readonly session?: { readonly next: Session; readonly subject: string };
  readonly newTasks?: { readonly tasks: readonly Task[]; readonly subject: string };
  readonly verdict?: Verdict;
  readonly verification?: DiagnosticsRerun;
  readonly reviews?: readonly { readonly commit: ObjectId; readonly note: ReviewNote }[];
  /** Notes for later tasks, added or removed. */
  readonly notes?: { readonly changes: readonly BlackboardPageChange[]; readonly subject: string };
  readonly refs?: readonly RefUpdate[];
  /** Decisions of the person beyond the recorded changes: their acceptance of received parts. */
  readonly accepted?: readonly LoggedDecision[];
  /** Why, for `git log`. */
  readonly body?: string;
  /** Author of the change; the person unless an agent made it. */
  readonly actor?: string;
}

type RecordResult =
  | { readonly kind: 'done'; readonly view: AdmittedSessionView }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'ref-moved'; readonly ref: string };

/** Reads a session with its tasks. Throws FlameError `no-session`. */
export async function viewSession(context: Pick<RunContext, 'store'>, id: SessionId): Promise<AdmittedSessionView> {
  return (await context.store.snapshot()).admitted(id);
}

/**
 * Decides on the newest state and records the outcome by compare-and-swap: on a lost race `decide` is asked
 * again. The store records what is decided by it as this clone's own before the refs move. Task changes are reported as events after the refs moved, never before.
 * Throws FlameError `led-elsewhere`.
 */
export function decideAndRecord(context: RecordContext, id: SessionId, decide: Decide): Promise<RecordResult> {
  return recordUnderAnyLead(context, id, (view) => {
    // A former lead decides nothing any more.
    const lead = findReplacingLead(context, view);
    if (lead !== null) throw ledElsewhereError(lead);
    return decide(view);
  });
}

type Decide = (view: AdmittedSessionView) => ChangesToRecord | null;

/**
 * As record, for entries a machine makes about itself alone, under any lead: that it leads from now on, its agents'
 * spending, the release of their claims.
 */
export async function recordUnderAnyLead(context: RecordContext, id: SessionId, decide: Decide): Promise<RecordResult> {
  let changed: { before: AdmittedSessionView; recording: ChangesToRecord } | undefined;
  const result = await context.store.transact((snapshot) => {
    const before = snapshot.admitted(id);
    const recording = decide(before);
    if (recording === null) return null;
    changed = { before, recording };
    return {
      changes: changesOf(before, recording),
      refs: recording.refs ?? [],
      accepted: recording.accepted ?? [],
      actor: recording.actor ?? context.gates.person,
    };
  });
  if (result.kind === 'ref-moved') return { kind: 'ref-moved', ref: result.ref };
  if (result.kind === 'nothing' || changed === undefined) return { kind: 'nothing' };
  reportSteps(context, changed.before, changed.recording);
  return { kind: 'done', view: result.snapshot.admitted(id) };
}

/** The machine that took the place of this one, which led; null: none did. */
export function findReplacingLead(
  { remoteSession }: Pick<RunContext, 'remoteSession'>,
  { stored: { machines } }: Pick<AdmittedSessionView, 'stored'>,
): string | null {
  if (remoteSession?.role !== 'lead' || machines === undefined) return null;
  return machines.lead === remoteSession.machine ? null : machines.lead;
}

function changesOf(
  { session: { id }, pages }: AdmittedSessionView,
  recording: ChangesToRecord,
): readonly StateChange[] {
  const body = recording.body === undefined ? {} : { body: recording.body };
  const changes: StateChange[] = [];
  if (recording.newTasks)
    changes.push({ subject: recording.newTasks.subject, tasks: recording.newTasks.tasks, ...body });
  for (const step of recording.steps ?? []) {
    const { task, subject, transition, failure } = step;
    const why = failure === undefined ? {} : { failure };
    changes.push({ subject, tasks: [task], transition, ...why, ...body });
  }
  const { verdict, verification, reviews = [], session, notes } = recording;
  if (verdict) changes.push({ subject: `${verdict.task}: ${verdict.status} by ${verdict.by}`, verdict });
  if (verification) changes.push({ subject: describeVerification(verification), verification });
  for (const review of reviews) changes.push({ subject: describeReview(review.note), review });
  if (session) changes.push({ subject: session.subject, session: session.next, ...body });
  for (const change of notes?.changes ?? [])
    changes.push({
      subject: notes?.subject ?? '',
      page: changeBlackboardPage({ id }, pages(), change),
      ...body,
    });
  return changes;
}

function describeReview({ group, by, undone }: ReviewNote): string {
  return undone === undefined ? `${group}: approved by ${by}` : `${group}: landing taken back by ${undone.by}`;
}

function describeVerification({ task, differences, by }: DiagnosticsRerun): string {
  return `${task}: evidence ${differences.length === 0 ? 'confirmed' : 'not confirmed'} by ${by}`;
}

function reportSteps(
  context: Pick<RunContext, 'events'>,
  before: AdmittedSessionView,
  recording: ChangesToRecord,
): void {
  const statuses = new Map(before.tasks.map(({ id, status }) => [id, status]));
  for (const { task, subject, transition } of recording.steps ?? []) {
    const from = statuses.get(task.id) ?? task.status;
    statuses.set(task.id, task.status);
    if (from === task.status) continue;
    const said = reasonIn(subject, `${task.id}: ${transition}`);
    // A task that is tried again keeps its reason, which was reported when it failed.
    const isTriedAgain = from === 'failed' && task.status === 'pending';
    context.events.emit({
      event: 'task-changed',
      task: task.id,
      from,
      to: task.status,
      why: isTriedAgain ? said : (task.reason ?? said),
    });
  }
}

/** Reports a verdict that counts here from now on. */
export function reportVerdict({ events }: Pick<RunContext, 'events'>, verdict: Verdict): void {
  const { task, commit, status, notes, by } = verdict;
  events.emit({ event: 'verdict', task, commit, status, notes, by });
}

/** Part of a commit's subject after the change itself. */
function reasonIn(subject: string, change: string): string {
  return subject.startsWith(change) ? subject.slice(change.length).replace(/^[\s,:]+/, '') : subject;
}

/** A task of a view, also one that was only received. Throws FlameError `no-task`. */
export function requireTaskInView(
  view: Pick<AdmittedSessionView, 'tasks'> & { readonly received?: readonly Task[] },
  id: string,
): Task {
  const isSelected = (task: Task): boolean => task.id === id;
  const task = view.tasks.find(isSelected) ?? view.received?.find(isSelected);
  if (task === undefined) throw noTaskError(id, [...view.tasks, ...(view.received ?? [])]);
  return task;
}

/** Puts a session into this wave, unless it is in it already, and reports that the wave has started. */
export async function recordWaveStart(
  context: RecordContext,
  id: SessionId,
  wave: 'validate' | 'merge' | 'review',
): Promise<AdmittedSessionView> {
  await decideAndRecord(context, id, ({ session }) => {
    if (session.wave === wave) return null;
    return {
      session: {
        next: { ...session, wave, state: 'active' },
        subject: `session: wave ${wave}, cycle ${session.cycle}`,
      },
    };
  });
  const view = await viewSession(context, id);
  context.events.emit({ event: 'wave-started', wave, cycle: view.session.cycle });
  return view;
}
