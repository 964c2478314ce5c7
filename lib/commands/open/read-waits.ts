import type { GitPort } from '../../domain/ports/git-port.ts';
import type { Wait } from '../../domain/shown/status.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { triedBefore } from './tried-before.ts';

interface Seen {
  readonly git: Pick<GitPort, 'repository'>;
}

/**
 * Why tasks are not worked on, by id: what they depend on, a file that another one is at, or work below them that
 * conflicts, as the run that found it has noted. How many may work at once is not looked at.
 */
export async function readWaits(
  { git }: Seen,
  session: Session,
  tasks: readonly Task[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (session.state === 'ended' || !tasks.some(({ status }) => status === 'pending')) return new Map();
  // Loaded only where there are locks to compare.
  const { allWaitReasons } = await import('../../core/schedule/wait-reasons.ts');
  const { recallHeld } = await import('../../engine/stack/held-apart.ts');
  const tried = triedBefore(git.repository.commonDir);
  const held = await recallHeld({ tried }, session.id, tasks);
  return allWaitReasons(tasks, { limit: Number.POSITIVE_INFINITY, now: Date.now(), held });
}

/** Reads tasks that wait for another reason than their dependencies. */
export async function readOtherWaits(
  seen: Seen,
  session: Session,
  tasks: readonly Task[],
): Promise<readonly Wait[]> {
  const settled = new Set<string>();
  for (const { id, status } of tasks) if (status === 'done' || status === 'merged') settled.add(id);
  // Nothing else is in the way of a task where none is at work or waits to land.
  if (!tasks.some(({ status }) => status === 'claimed' || status === 'done')) return [];
  const reasons = await readWaits(seen, session, tasks);
  return tasks.flatMap(({ id, dependencies }) => {
    const because = reasons.get(id) ?? [];
    return because.length === 0 || !dependencies.every((need) => settled.has(need))
      ? []
      : [{ task: id, because }];
  });
}
