import type { Origins } from '../../domain/state/origins.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { courseDecision, sessionDecision, standingDecision, taskDecision } from './decisions.ts';
import { isSettled } from './filter-untrusted.ts';

/** Whether this clone decided that a session ends, or a named signer. */
export function isOwnEnd(session: Session, origins: Origins): boolean {
  return (
    session.state === 'ended' && origins.has(sessionDecision(session)) && origins.has(courseDecision(session))
  );
}

/** Whether a version of a task's note is what this clone made of it last. */
export function isOwnTask(task: Task, origins: Origins): boolean {
  return origins.has(standingDecision(task)) && (isSettled(task) || origins.has(taskDecision(task)));
}

/** The same of a session's. */
export function isOwnSession(session: Session, origins: Origins): boolean {
  return origins.has(sessionDecision(session)) && origins.has(courseDecision(session));
}
