import type { AgentRun, Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';

/** Number of validators that may end without a verdict on a result before a person is asked to pay for another. */
export const triesBeforeAsking = 2;

// Not their doing: each is started again by itself once that is over.
const excused = new Set(['agent-stopped', 'rate-limit', 'session-budget', 'killed']);

/**
 * The validators that were paid for a task's present result, by what its session's note booked since it was done.
 * As long as there is no verdict on it, none of them gave one.
 */
export function unjudgedTries({ agents }: Session, { id, history }: Task): readonly AgentRun[] {
  const doneAt = history.findLast(({ result }) => result === 'done')?.timestamp ?? '';
  return agents.filter(
    ({ role, task_id, started_at, outcome }) =>
      role === 'validator' && task_id === id && started_at >= doneAt && !excused.has(outcome),
  );
}
