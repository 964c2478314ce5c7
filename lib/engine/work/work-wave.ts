import { chainFrom } from '../../core/schedule/plan-waves.ts';
import { isToBeDone, nextWake } from '../../core/schedule/select-ready.ts';
import { unblockable } from '../../core/task/cascade.ts';
import { agentsWanted } from '../../core/task/several-attempts.ts';
import { unblockTask } from '../../core/task/task-outcome.ts';
import type { SessionId } from '../../domain/ids.ts';
import { needsModel } from '../../domain/ports/adapter.ts';
import type { Task } from '../../domain/state/task.ts';
import { attemptsOf } from '../../domain/state/task-facts.ts';
import { askForBudget } from '../agents/ask-person.ts';
import { requireShortWait, tellPauses, waitedFor } from '../agents/service-pauses.ts';
import { watchBudget } from '../agents/session-budget.ts';
import { findUnusable, requireChosen } from '../agents/usable-here.ts';
import { type AheadWatch, lookingAhead } from '../conflict-detection/watch-conflicts.ts';
import { interruptedError, stoppedBeforeStart } from '../interrupted.ts';
import { awaitsOthers, bringBase, isJoined, tellHowToJoin, tellIdle } from '../machines/pass-on.ts';
import { isSpentHere } from '../machines/reserve.ts';
import { tendMachines } from '../machines/supervise-machines.ts';
import { type Recorder, record, type SessionView, viewSession } from '../record.ts';
import { tellOnce, type Workshop } from '../run-context.ts';
import { replayUprooted } from '../stacking/rebase-stacked.ts';
import { attemptSeveral } from './attempt-several.ts';
import { attemptTask } from './attempt-task.ts';
import { Attempts } from './attempts.ts';
import { warnOfBase } from './base-checks.ts';
import { releaseOrphans } from './release-orphans.ts';
import { adapterOf, agentLimit, selectNext, startable } from './select-next.ts';

/** Longest time between two looks: free memory shows in no ref. */
const lookAgainMs = 5_000;
/** Whether other machines are there is a matter of time. */
const lookAtOthersMs = 1_000;

/**
 * Wave 2: as many agents as may run, each on a task of its own, until no task is ready and no agent is
 * running. A task starts as soon as its locks and dependencies allow, not when a batch ends, and in the place of an
 * agent that is over while that one's work is judged.
 */
export function workWave(workshop: Workshop, session: SessionId, options: WaveOptions = {}): Promise<void> {
  return lookingAhead(workshop, (radar) => workUntilDone(workshop, session, { radar, ...options }));
}

interface WaveOptions {
  /** Called at each look at how things stand. */
  readonly onLook?: () => void;
  /** Begins at a look what else there is to do. */
  readonly also?: (view: SessionView, running: Attempts) => void;
}

async function workUntilDone(
  workshop: Workshop,
  session: SessionId,
  { radar, onLook, also }: WaveOptions & { readonly radar: AheadWatch },
): Promise<void> {
  const opening = await takeUp(workshop, session);
  workshop.events.emit({ event: 'wave-started', wave: 'work', cycle: opening.session.cycle });
  tellHowToJoin(workshop, opening);
  const first = startable(workshop, opening);
  const all = first.flatMap(attemptsOf);
  if (!isJoined(workshop)) await requireChosen(workshop, 'worker', all);
  const isPaid = all.some((task) => needsModel(adapterOf(workshop, task)));
  if (first.length > 0) await warnOfBase(workshop, opening.session, isPaid);
  let { tasks } = opening;
  const running = new Attempts({
    chainFrom: (task) => chainOf(tasks, task),
    sleep: (ms, signal) => workshop.machine.sleep(ms, signal),
  });
  // People add and take tasks meanwhile; only the refs show it.
  await workshop.store.watch(() => running.tell());
  while (!workshop.signal.aborted && running.failures.length === 0) {
    const step = running.nextStep();
    if (!isJoined(workshop)) await replayUprooted(workshop, session);
    await tendMachines(workshop, session);
    const view = await viewSession(workshop, session);
    tasks = view.tasks;
    onLook?.();
    if (isJoined(workshop))
      await findUnusable(
        workshop,
        startable(workshop, view).filter(({ status }) => status === 'pending'),
      );
    const hasBase = await bringBase(workshop, view);
    radar.look(view);
    tellPauses(workshop, view.session);
    const spending = workshop.windDown.isAsked() ? 'stop' : await maySpend(workshop, view, running);
    if (spending === 'yes' && hasBase) startReady(workshop, view, running);
    if (spending === 'yes' && hasBase) also?.(view, running);
    const wake = spending === 'yes' ? nextWake(startable(workshop, view), workshop.now().getTime()) : null;
    const awaits = awaitsOthers(workshop, view);
    if (running.size === 0 && wake === null && !awaits) break;
    if (running.size > 0) workshop.run.idle = null;
    else if (awaits) tellIdle(workshop, view);
    if (running.size === 0 && !awaits) requireShortWait(workshop, view.session, wake ?? 0);
    running.onLooked();
    await nextChange(workshop, { step, isRunning: running.size > 0 || awaits }, wake);
  }
  const hadAgents = running.size > 0;
  await running.settled();
  if (running.failures.length > 0) throw running.failures[0];
  await closeWave(workshop, opening, hadAgents);
}

/** Length of the chain of tasks behind one, of those that are pending. */
function chainOf(tasks: readonly Task[], id: string): number {
  const task = tasks.find((one) => one.id === id);
  return task === undefined ? 0 : chainFrom(task, tasks.filter(isToBeDone));
}

function startReady(workshop: Workshop, view: SessionView, running: Attempts): void {
  const { id } = view.session;
  const limit = agentLimit(workshop, running.atWork);
  running.give(limit - running.atWork);
  for (const task of selectNext(workshop, view, running)) {
    const adapter = adapterOf(workshop, task);
    if (task.attempts === undefined)
      running.begin(task.id, (steps) => attemptTask(workshop, id, { task, adapter, steps }));
    else {
      const places = Math.min(agentsWanted(task), Math.max(0, limit - running.atWork));
      running.begin(task.id, (steps) => attemptSeveral(workshop, { task, steps }), places);
    }
  }
}

/** A spent budget lets what runs come to its end, then asks the person; what costs nothing may start all the same. */
async function maySpend(
  workshop: Workshop,
  view: SessionView,
  running: Attempts,
): Promise<'yes' | 'wait' | 'stop'> {
  // An agent asked, and the person decided to stop.
  if (view.session.state === 'stopped') return 'stop';
  if (isJoined(workshop) && isSpentHere(workshop, view.session)) {
    // Its lead's person is asked, where it is the budget of all.
    tellOnce(
      workshop,
      'What this machine may spend in this session is spent: it begins nothing that costs something.',
    );
    return 'wait';
  }
  const budget = watchBudget(workshop, view.session);
  const next = budget.isSpent ? selectNext(workshop, view, running) : [];
  if (!next.some((task) => needsModel(adapterOf(workshop, task)))) return 'yes';
  if (running.size > 0) return 'wait';
  return (await askForBudget(workshop, view.session.id, budget)) ? 'yes' : 'stop';
}

async function nextChange(
  workshop: Pick<Workshop, 'machine' | 'sharing' | 'signal' | 'windDown'>,
  { step, isRunning }: { readonly step: Promise<void>; readonly isRunning: boolean },
  wake: number | null,
): Promise<void> {
  const timer = new AbortController();
  const { signal: enough } = workshop.windDown;
  // Once it was asked for, only agents that end change anything.
  const wakers = [timer.signal, workshop.signal, ...(enough.aborted ? [] : [enough])];
  const signal = AbortSignal.any(wakers);
  const lookMs = workshop.sharing === undefined ? lookAgainMs : lookAtOthersMs;
  const until = Math.min(wake ?? Number.POSITIVE_INFINITY, isRunning ? lookMs : (wake ?? 0));
  await Promise.race([step, workshop.machine.sleep(until, signal)]);
  timer.abort('changed');
}

/** Gives claims back whose agents are gone, and frees tasks whose dependencies are no longer in the way. */
async function takeUp(workshop: Workshop, session: SessionId): Promise<SessionView> {
  await releaseOrphans(workshop, session);
  if (isJoined(workshop)) return viewSession(workshop, session);
  await record(workshop, session, ({ session: now, tasks }) => {
    const free = unblockable(tasks).map((task) => unblockTask(task));
    const isNew = now.wave !== 'work';
    if (free.length === 0 && !isNew) return null;
    const next = { ...now, wave: 'work' as const, state: 'active' as const };
    return {
      steps: free,
      ...(isNew ? { session: { next, subject: `session: wave work, cycle ${now.cycle}` } } : {}),
    };
  });
  return viewSession(workshop, session);
}

async function closeWave(
  workshop: Recorder & Pick<Workshop, 'signal'>,
  { session, tasks: before }: SessionView,
  hadAgents: boolean,
): Promise<void> {
  const { session: now, tasks } = await viewSession(workshop, session.id);
  // Failures of an earlier wave don't belong to this one.
  const was = new Map(before.map(({ id, status }) => [id, status === 'done' ? null : status]));
  const count = (status: Task['status']): number =>
    tasks.filter((task) => task.status === status && was.get(task.id) !== status).length;
  const summary = `${count('done')} done, ${count('failed')} failed, ${count('blocked')} blocked`;
  workshop.events.emit({ event: 'wave-ended', wave: 'work', cycle: now.cycle, summary });
  if (workshop.signal.aborted)
    throw hadAgents ? interruptedError() : stoppedBeforeStart(waitedFor(workshop, now));
}
