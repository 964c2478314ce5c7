import { expiredClaims, holderOf } from '../../core/schedule/task-holder.ts';
import { releaseTask } from '../../core/task/task-attempt.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task.ts';
import { record, taskOf, viewSession } from '../record.ts';
import { timestamp, type Workshop } from '../workshop.ts';
import { keepWork } from './release.ts';

/**
 * Frees claims by hand that are older than `limits.claim_timeout`: the task is pending again, commits are kept as a
 * rescue, the worktree stays. Returns the tasks.
 */
async function releaseExpired(workshop: Workshop, id: SessionId): Promise<readonly string[]> {
  const { tasks } = await viewSession(workshop, id);
  const released: string[] = [];
  for (const task of expiredClaims(tasks, workshop.config.limits.claim_timeout, workshop.now()))
    if (await release(workshop, task)) released.push(task.id);
  return released;
}

async function release(workshop: Workshop, task: Task): Promise<boolean> {
  const isHere = task.claimed_host === null || task.claimed_host === workshop.place;
  const refs = isHere ? (await keepWork(workshop, task)).refs : [];
  const reason = `${holderOf(task)} held it longer than limits.claim_timeout allows`;
  const done = await record(workshop, task.session, (view) => {
    const now = taskOf(view, task.id);
    if (now.rev !== task.rev) return null;
    return { steps: [releaseTask(now, { reason, at: timestamp(workshop) })], refs };
  });
  return done.kind === 'done';
}

/** Frees claims by hand that were held for too long, and reports them. */
export async function freeExpired(workshop: Workshop, id: SessionId): Promise<void> {
  const expired = await releaseExpired(workshop, id);
  if (expired.length === 0) return;
  const message = `Claims by hand older than limits.claim_timeout are free again, their worktrees stay: ${expired.join(', ')}.`;
  workshop.events.emit({ event: 'notice', level: 'info', message, details: [] });
}
