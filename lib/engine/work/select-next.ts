import { delayTasksOfPausedServices, limitAgentsByMemory } from '../../core/schedule/pauses-and-limits.ts';
import { selectReadyTasks } from '../../core/schedule/select-ready.ts';
import { countWantedAttempts } from '../../core/task/attempt-records.ts';
import { findRoleAdapter } from '../../domain/config/role-adapter-and-model.ts';
import { expandTaskAttempts } from '../../domain/state/task-facts.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { canTaskRunHere } from '../agents/require-usable-adapters.ts';
import { isHeldElsewhere } from '../machines/held-elsewhere.ts';
import type { SessionView } from '../record-changes.ts';
import { type RunContext, warnOnce } from '../run-context.ts';
import { leaveOutConflictBlockedTasks } from '../stacking/block-on-conflict.ts';
import type { RunningAttempts } from './running-attempts.ts';

/** The tasks that may start now, each with a place for its agents. */
export function selectNextTasks(context: RunContext, view: SessionView, running: RunningAttempts): readonly Task[] {
  const limit = computeAgentLimit(context, running.atWork);
  // No place is free, and all of them want one: that is how most looks find it.
  if (running.atWork >= limit && view.tasks.every(({ attempts }) => attempts === undefined)) return [];
  // A task that has just begun is not claimed yet; a task to be retried is still being cleared up.
  const claimed = view.tasks.filter(
    ({ id, status }) => status === 'claimed' || (status === 'pending' && running.has(id)),
  );
  const { selected } = selectReadyTasks({
    tasks: listStartableTasks(context, view).filter((task) => canTaskRunHere(context, task)),
    running: claimed,
    // No more than agents: what waits to be judged takes room on the disk.
    judged: new Set(running.over.slice(0, limit)),
    // Agents of other machines take no place here.
    limit: limit + claimed.filter((task) => isHeldElsewhere(context, task)).length,
    now: context.now().getTime(),
    places: (task) => placesOf(task, running),
  });
  return selected;
}

/** Works beyond the limit that wait to be judged take a place, too. */
function placesOf(task: Task, running: RunningAttempts): number {
  const held = running.placesOf(task.id);
  if (held !== undefined) return Math.max(1, held);
  return task.status === 'pending' ? countWantedAttempts(task) : 1;
}

/** Tasks that may start, without those blocked by a conflict; those of a limited service are put off. */
export function listStartableTasks(
  context: Pick<RunContext, 'config' | 'now' | 'run'>,
  { session, tasks }: SessionView,
): readonly Task[] {
  const adapterOf = (task: Task): string => findRoleAdapter(context.config, 'worker', nextOf(task));
  return delayTasksOfPausedServices(leaveOutConflictBlockedTasks(context, tasks), session, {
    adapterOf,
    now: context.now().getTime(),
  });
}

/** Adapter of the next attempt at a task. */
export function adapterOfNextAttempt(
  context: Pick<RunContext, 'adapter' | 'config'>,
  task: Task,
): ReturnType<RunContext['adapter']> {
  return context.adapter(findRoleAdapter(context.config, 'worker', nextOf(task)));
}

/** Task with the adapter and model of its first open attempt. */
function nextOf(task: Task): Task {
  const open = expandTaskAttempts(task).find((_, at) => (task.tries?.[at]?.ended ?? null) === null);
  return open ?? task;
}

/** Computes how many agents may run in all: as configured, or fewer where memory is short. */
export function computeAgentLimit(context: RunContext, running: number): number {
  const { development, adaptive, adaptive_min_ram_per_agent_mb: perAgent } = context.config.concurrency;
  if (!adaptive) return development;
  const freeMb = context.machine.freeMemoryMb();
  // If all of them find room, the memory of running ones doesn't matter: finding it out takes a while.
  if (freeMb >= development * perAgent) return development;
  // One that is about to start has taken nothing yet.
  const known = context.agents.usedMemoryMb();
  const usedMb = Array.from({ length: running }, (_, at) => known[at] ?? 0);
  const { limit, isReduced } = limitAgentsByMemory({
    configured: development,
    freeMb,
    minPerAgentMb: perAgent,
    usedMb,
  });
  if (isReduced) {
    const message = `Only ${limit} of ${development} agents run at once: ${Math.round(freeMb)} MB of memory are free, and each needs ${perAgent} MB.`;
    warnOnce(context, message, { key: `fewer than ${development} agents` });
  }
  return limit;
}
