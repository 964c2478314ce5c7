import type { BudgetState } from '../../core/schedule/budget-state.ts';
import { countWantedAttempts } from '../../core/task/attempt-records.ts';
import { listUnblockableTasks } from '../../core/task/block-dependents.ts';
import { unblockTask } from '../../core/task/task-outcome.ts';
import type { SessionId } from '../../domain/ids.ts';
import { adapterTalksToModel } from '../../domain/ports/adapter.ts';
import { expandTaskAttempts } from '../../domain/state/task-facts.ts';
import { groupBy } from '../../util/sort-and-group.ts';
import { askToRaiseBudget } from '../agents/ask-person.ts';
import { requireUsableTaskAdapters } from '../agents/require-usable-adapters.ts';
import { checkLiveBudget } from '../agents/session-budget.ts';
import { isHeldElsewhere } from '../machines/held-elsewhere.ts';
import { superviseMachines } from '../machines/supervise-machines.ts';
import { decideAndRecord, type SessionView, viewSession } from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';
import { rebaseStacked } from '../stacking/rebase-stacked.ts';
import { makeOneAttempt } from './make-one-attempt.ts';
import { makeSeveralAttempts } from './make-several-attempts.ts';
import type { RunningAttempts } from './running-attempts.ts';
import { adapterOfNextAttempt, computeAgentLimit, listStartableTasks, selectNextTasks } from './select-next.ts';

/** The part a machine has in a work wave: it leads the session, alone or with others, or it joined. */
export interface WavePart {
  /** Called once, before the first look. Returns the session the wave begins with. */
  open(): Promise<SessionView>;
  /** Called before each look at how things stand. */
  tend(): Promise<void>;
  /** Whether something may start: `wait`, not before something changed; `stop`, nothing more in this wave. */
  mayStart(view: SessionView, running: RunningAttempts): Promise<'yes' | 'wait' | 'stop'>;
  /** Begins what may begin. */
  start(view: SessionView, running: RunningAttempts): void;
  /** What it waits for that other machines do, as a sentence; null: without anything to do the wave is over. */
  awaits(view: SessionView): string | null;
}

/** The part of the machine that leads: it alone changes tasks that wait, and asks its person. */
export function makeLeadPart(context: RunContext, id: SessionId): WavePart {
  return {
    open: async () => {
      await enterWave(context, id);
      const view = await viewSession(context, id);
      await requireUsableTaskAdapters(context, 'worker', listStartableTasks(context, view).flatMap(expandTaskAttempts));
      return view;
    },
    tend: async () => {
      await rebaseStacked(context, id);
      await superviseMachines(context, id);
    },
    mayStart: (view, running) => maySpend(context, view, running),
    start: (view, running) => startReady(context, view, running),
    awaits: (view) => describeWorkElsewhere(context, view),
  };
}

/** Frees tasks whose dependencies are no longer in the way, and puts the session into the wave. */
async function enterWave(context: RunContext, id: SessionId): Promise<void> {
  await decideAndRecord(context, id, ({ session: now, tasks }) => {
    const free = listUnblockableTasks(tasks).map((task) => unblockTask(task));
    const isNew = now.wave !== 'work';
    if (free.length === 0 && !isNew) return null;
    const next = { ...now, wave: 'work' as const, state: 'active' as const };
    return {
      steps: free,
      ...(isNew ? { session: { next, subject: `session: wave work, cycle ${now.cycle}` } } : {}),
    };
  });
}

/** A spent budget lets what runs come to its end, then asks the person; what costs nothing may start all the same. */
async function maySpend(
  context: RunContext,
  view: SessionView,
  running: RunningAttempts,
): Promise<'yes' | 'wait' | 'stop'> {
  // An agent asked, and the person decided to stop.
  if (view.session.state === 'stopped') return 'stop';
  const budget = findSpentBudget(context, view, running);
  if (budget === null) return 'yes';
  if (running.size > 0) return 'wait';
  return (await askToRaiseBudget(context, view.session.id, budget)) ? 'yes' : 'stop';
}

/**
 * The budget of the session where it is spent and something that may start is paid from it; null: nothing is in the
 * way.
 */
export function findSpentBudget(context: RunContext, view: SessionView, running: RunningAttempts): BudgetState | null {
  const budget = checkLiveBudget(context, view.session);
  const next = budget.isSpent ? selectNextTasks(context, view, running) : [];
  return next.some((task) => adapterTalksToModel(adapterOfNextAttempt(context, task))) ? budget : null;
}

function describeWorkElsewhere(context: RunContext, { session, tasks }: SessionView): string | null {
  if (context.remoteSession === undefined || context.gracefulStop.isRequested() || session.state !== 'active')
    return null;
  const hosts = groupBy(
    tasks.filter((task) => task.status === 'claimed' && isHeldElsewhere(context, task)),
    ({ claimed_host: host }) => host ?? '',
  );
  if (hosts.size === 0) return null;
  const held = [...hosts].map(([host, of]) => `${of.map(({ id }) => id).join(', ')} on ${host}`).join('; ');
  return `No task for this machine until other machines finish: ${held}`;
}

/** Starts an attempt at each task that may start, as far as there are places. */
export function startReady(context: RunContext, view: SessionView, running: RunningAttempts): void {
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
