import { findTaskHolder } from '../../core/machines/task-holder.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { RunContext } from '../run-context.ts';

/** Whether a task is another machine's at the moment: an agent there works on it, or its commit is judged there. */
export function isHeldElsewhere({ place }: Pick<RunContext, 'place'>, task: Task): boolean {
  const holder = findTaskHolder(task);
  return holder !== null && holder !== place;
}

/** Whether this machine works in a session that another one leads. */
export function isJoinedMachine({ remoteSession }: Pick<RunContext, 'remoteSession'>): boolean {
  return remoteSession?.role === 'worker';
}
