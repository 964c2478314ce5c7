import { msUntilNextBackoffEnds } from '../../core/schedule/select-ready.ts';
import { countWantedAttempts } from '../../core/task/attempt-records.ts';
import { listUnblockableTasks } from '../../core/task/block-dependents.ts';
import { unblockTask } from '../../core/task/task-outcome.ts';
import type { SessionId } from '../../domain/ids.ts';
import { adapterTalksToModel } from '../../domain/ports/adapter.ts';
import { expandTaskAttempts } from '../../domain/state/task-facts.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { askToRaiseBudget } from '../agents/ask-person.ts';
import { findAdaptersUnusableHere, requireUsableTaskAdapters } from '../agents/require-usable-adapters.ts';
import { findPauseReason, reportServicePauses, requireShortServicePause } from '../agents/service-pauses.ts';
import { checkLiveBudget } from '../agents/session-budget.ts';
import { type ConflictWatch, withConflictWatch } from '../conflict-detection/watch-conflicts.ts';
import { interruptedError, stoppedBeforeStartError } from '../graceful-stop.ts';
import { isBudgetSpentHere } from '../machines/reserve-budget.ts';
import { superviseMachines } from '../machines/supervise-machines.ts';
import {
  fetchBase,
  isJoinedMachine,
  isWaitingForOtherMachines,
  reportHowToJoin,
  reportIdleMachine,
} from '../machines/take-over-claims.ts';
import { decideAndRecord, type RecordContext, type SessionView, viewSession } from '../record-changes.ts';
import { type RunContext, warnOnce } from '../run-context.ts';
import { rebaseStacked } from '../stacking/rebase-stacked.ts';
import { warnOfFailingBase } from './failing-base.ts';
import { makeOneAttempt } from './make-one-attempt.ts';
import { makeSeveralAttempts } from './make-several-attempts.ts';
import { releaseOrphanedClaims } from './release-orphans.ts';
import { RunningAttempts } from './running-attempts.ts';
import { adapterOfNextAttempt, computeAgentLimit, listStartableTasks, selectNextTasks } from './select-next.ts';

/** Longest time between two looks: free memory shows in no ref. */
const lookAgainMs = 5_000;
/** Whether other machines are there is a matter of time. */
const lookAtOthersMs = 1_000;

/**
 * Wave 2: as many agents as may run, each on a task of its own, until no task is ready and no agent is
 * running. A task starts as soon as its locks and dependencies allow, not when a batch ends, and in the place of an
 * agent that is over while that one's work is judged.
 */
export function runWorkWave(context: RunContext, session: SessionId, options: WaveOptions = {}): Promise<void> {
  return withConflictWatch(context, (radar) => workUntilDone(context, session, { radar, ...options }));
}

interface WaveOptions {
  /** Called at each look at how things stand. */
  readonly onLook?: () => void;
  /** Begins at a look what else there is to do. */
  readonly also?: (view: SessionView, running: RunningAttempts) => void;
}

async function workUntilDone(
  context: RunContext,
  session: SessionId,
  { radar, onLook, also }: WaveOptions & { readonly radar: ConflictWatch },
): Promise<void> {
  const opening = await resumeClaims(context, session);
  context.events.emit({ event: 'wave-started', wave: 'work', cycle: opening.session.cycle });
  reportHowToJoin(context, opening);
  const first = listStartableTasks(context, opening);
  const all = first.flatMap(expandTaskAttempts);
  if (!isJoinedMachine(context)) await requireUsableTaskAdapters(context, 'worker', all);
  const isPaid = all.some((task) => adapterTalksToModel(adapterOfNextAttempt(context, task)));
  if (first.length > 0) await warnOfFailingBase(context, opening.session, isPaid);
  const running = new RunningAttempts();
  // People add and take tasks meanwhile; only the refs show it.
  await context.store.watch(() => running.wake());
  while (!context.signal.aborted && running.failures.length === 0) {
    const step = running.nextStep();
    if (!isJoinedMachine(context)) await rebaseStacked(context, session);
    await superviseMachines(context, session);
    const view = await viewSession(context, session);
    onLook?.();
    if (isJoinedMachine(context))
      await findAdaptersUnusableHere(
        context,
        listStartableTasks(context, view).filter(({ status }) => status === 'pending'),
      );
    const hasBase = await fetchBase(context, view);
    radar.look(view);
    reportServicePauses(context, view.session);
    const spending = context.gracefulStop.isRequested() ? 'stop' : await maySpend(context, view, running);
    if (spending === 'yes' && hasBase) startReady(context, view, running);
    if (spending === 'yes' && hasBase) also?.(view, running);
    const wake =
      spending === 'yes' ? msUntilNextBackoffEnds(listStartableTasks(context, view), context.now().getTime()) : null;
    const awaits = isWaitingForOtherMachines(context, view);
    if (running.size === 0 && wake === null && !awaits) break;
    if (running.size > 0) context.run.idle = null;
    else if (awaits) reportIdleMachine(context, view);
    if (running.size === 0 && !awaits) requireShortServicePause(context, view.session, wake ?? 0);
    await nextChange(context, { step, isRunning: running.size > 0 || awaits }, wake);
  }
  const hadAgents = running.size > 0;
  await running.settled();
  if (running.failures.length > 0) throw running.failures[0];
  await closeWave(context, opening, hadAgents);
}

function startReady(context: RunContext, view: SessionView, running: RunningAttempts): void {
  const { id } = view.session;
  const limit = computeAgentLimit(context, running.atWork);
  running.give(limit - running.atWork);
  for (const task of selectNextTasks(context, view, running)) {
    const adapter = adapterOfNextAttempt(context, task);
    if (task.attempts === undefined)
      running.begin(task.id, (steps) => makeOneAttempt(context, id, { task, adapter, steps }));
    else {
      const places = Math.min(countWantedAttempts(task), Math.max(0, limit - running.atWork));
      running.begin(task.id, (steps) => makeSeveralAttempts(context, { task, steps }), places);
    }
  }
}

/** A spent budget lets what runs come to its end, then asks the person; what costs nothing may start all the same. */
async function maySpend(
  context: RunContext,
  view: SessionView,
  running: RunningAttempts,
): Promise<'yes' | 'wait' | 'stop'> {
  // An agent asked, and the person decided to stop.
  if (view.session.state === 'stopped') return 'stop';
  if (isJoinedMachine(context) && isBudgetSpentHere(context, view.session)) {
    // Its lead's person is asked, where it is the budget of all.
    warnOnce(context, 'This machine has spent its share of the session budget. It starts no more paid work.');
    return 'wait';
  }
  const budget = checkLiveBudget(context, view.session);
  const next = budget.isSpent ? selectNextTasks(context, view, running) : [];
  if (!next.some((task) => adapterTalksToModel(adapterOfNextAttempt(context, task)))) return 'yes';
  if (running.size > 0) return 'wait';
  return (await askToRaiseBudget(context, view.session.id, budget)) ? 'yes' : 'stop';
}

async function nextChange(
  context: Pick<RunContext, 'machine' | 'remoteSession' | 'signal' | 'gracefulStop'>,
  { step, isRunning }: { readonly step: Promise<void>; readonly isRunning: boolean },
  wake: number | null,
): Promise<void> {
  const timer = new AbortController();
  const { signal: enough } = context.gracefulStop;
  // Once it was asked for, only agents that end change anything.
  const wakers = [timer.signal, context.signal, ...(enough.aborted ? [] : [enough])];
  const signal = AbortSignal.any(wakers);
  const lookMs = context.remoteSession === undefined ? lookAgainMs : lookAtOthersMs;
  const until = Math.min(wake ?? Number.POSITIVE_INFINITY, isRunning ? lookMs : (wake ?? 0));
  await Promise.race([step, context.machine.sleep(until, signal)]);
  timer.abort('changed');
}

/** Gives claims back whose agents are gone, and frees tasks whose dependencies are no longer in the way. */
async function resumeClaims(context: RunContext, session: SessionId): Promise<SessionView> {
  await releaseOrphanedClaims(context, session);
  if (isJoinedMachine(context)) return viewSession(context, session);
  await decideAndRecord(context, session, ({ session: now, tasks }) => {
    const free = listUnblockableTasks(tasks).map((task) => unblockTask(task));
    const isNew = now.wave !== 'work';
    if (free.length === 0 && !isNew) return null;
    const next = { ...now, wave: 'work' as const, state: 'active' as const };
    return {
      steps: free,
      ...(isNew ? { session: { next, subject: `session: wave work, cycle ${now.cycle}` } } : {}),
    };
  });
  return viewSession(context, session);
}

async function closeWave(
  context: RecordContext & Pick<RunContext, 'signal'>,
  { session, tasks: before }: SessionView,
  hadAgents: boolean,
): Promise<void> {
  const { session: now, tasks } = await viewSession(context, session.id);
  // Failures of an earlier wave don't belong to this one.
  const was = new Map(before.map(({ id, status }) => [id, status === 'done' ? null : status]));
  const count = (status: Task['status']): number =>
    tasks.filter((task) => task.status === status && was.get(task.id) !== status).length;
  const summary = `${count('done')} done, ${count('failed')} failed, ${count('blocked')} blocked`;
  context.events.emit({ event: 'wave-ended', wave: 'work', cycle: now.cycle, summary });
  if (context.signal.aborted)
    throw hadAgents ? interruptedError() : stoppedBeforeStartError(findPauseReason(context, now));
}
