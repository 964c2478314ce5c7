import { triesBeforeAsking, unjudgedTries } from '../../core/task/unjudged-tries.ts';
import type { Task } from '../../domain/state/task.ts';
import type { SessionView } from '../record.ts';

/** Whether so many validators gave no verdict on done work that only a person may pay for another one, or judge it. */
export function isLeftUnjudged(
  { session, snapshot }: Pick<SessionView, 'session' | 'snapshot'>,
  task: Task,
): boolean {
  return (
    task.status === 'done' &&
    task.result.status === null &&
    snapshot.verdictsOn(task.commit).length === 0 &&
    unjudgedTries(session, task).length >= triesBeforeAsking
  );
}
