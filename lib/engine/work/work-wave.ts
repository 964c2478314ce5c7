import { msUntilNextBackoffEnds } from '../../core/schedule/select-ready.ts';
import type { SessionId } from '../../domain/ids.ts';
import { adapterTalksToModel } from '../../domain/ports/adapter.ts';
import { expandTaskAttempts } from '../../domain/state/task-facts.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { findPauseReason, reportServicePauses, requireShortServicePause } from '../agents/service-pauses.ts';
import { type ConflictWatch, withConflictWatch } from '../conflict-detection/watch-conflicts.ts';
import { interruptedError, stoppedBeforeStartError } from '../graceful-stop.ts';
import { type RecordContext, type SessionView, viewSession } from '../record-changes.ts';
import { inform, type RunContext } from '../run-context.ts';
import { warnOfFailingBase } from './failing-base.ts';
import { releaseOrphanedClaims } from './release-orphans.ts';
import { RunningAttempts } from './running-attempts.ts';
import { adapterOfNextAttempt, listStartableTasks } from './select-next.ts';
import { makeLeadPart, type WavePart } from './wave-part.ts';

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
  /** The part of this machine; it leads where none is given. */
  readonly part?: WavePart;
}

async function workUntilDone(
  context: RunContext,
  session: SessionId,
  { radar, onLook, part = makeLeadPart(context, session) }: WaveOptions & { readonly radar: ConflictWatch },
): Promise<void> {
  await releaseOrphanedClaims(context, session);
  const opening = await part.open();
  context.events.emit({ event: 'wave-started', wave: 'work', cycle: opening.session.cycle });
  const first = listStartableTasks(context, opening);
  const isPaid = first
    .flatMap(expandTaskAttempts)
    .some((task) => adapterTalksToModel(adapterOfNextAttempt(context, task)));
  if (first.length > 0) await warnOfFailingBase(context, opening.session, isPaid);
  const running = new RunningAttempts();
  // People add and take tasks meanwhile; only the refs show it.
  await context.store.watch(() => running.wake());
  let reported: string | null = null;
  while (!context.signal.aborted && running.failures.length === 0) {
    const step = running.nextStep();
    await part.tend();
    const view = await viewSession(context, session);
    onLook?.();
    radar.look(view);
    reportServicePauses(context, view.session);
    const spending = context.gracefulStop.isRequested() ? 'stop' : await part.mayStart(view, running);
    if (spending === 'yes') part.start(view, running);
    const wake =
      spending === 'yes' ? msUntilNextBackoffEnds(listStartableTasks(context, view), context.now().getTime()) : null;
    const awaited = part.awaits(view);
    if (running.size === 0 && wake === null && awaited === null) break;
    if (running.size === 0 && awaited === null) requireShortServicePause(context, view.session, wake ?? 0);
    // Said each time this machine comes to have nothing to do: nothing else shows that the session goes on.
    const idle: string | null = running.size === 0 ? awaited : null;
    if (idle !== null && idle !== reported) inform(context, idle);
    reported = idle;
    await nextChange(context, { step, isRunning: running.size > 0 || awaited !== null }, wake);
  }
  const hadAgents = running.size > 0;
  await running.settled();
  if (running.failures.length > 0) throw running.failures[0];
  await closeWave(context, opening, hadAgents);
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
