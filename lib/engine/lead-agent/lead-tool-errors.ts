import { FlameError } from '../../domain/flame-error.ts';
import type { Task } from '../../domain/state/task-schema.ts';

// Refusals for a lead agent, each with an alternative: hints name its tools, or the person's command.

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly next: string;
  readonly details?: readonly string[];
}

/** `waiting`: a person must decide first. */
export function leadToolError(
  { code, message, next, details = [] }: Refusal,
  kind: 'refused' | 'waiting' = 'refused',
): FlameError {
  return new FlameError({ kind, code, message, details, hints: [next], hintsFor: 'model' });
}

/** With `changed`, tasks whose approved words differ from those that are proposed now. */
export function planNotApprovedError(changed: readonly Pick<Task, 'id'>[] = []): FlameError {
  const message =
    changed.length === 0
      ? 'The project lead has not approved the plan yet. No task can start before that.'
      : `You changed or dropped ${listFirstTaskIds(changed)} after the project lead approved the plan. They have not approved that change yet.`;
  const next = 'wait_for_workers returns when they decide. The project lead decides with: git flame plan';
  return leadToolError({ code: 'plan-not-approved', message, next }, 'waiting');
}

/** Two validators gave no verdict: only a person may pay for a third, or judge it. */
export function leftUnjudgedError(tasks: readonly Pick<Task, 'id'>[]): FlameError {
  const message = `Two validators gave no verdict on ${listFirstTaskIds(tasks)}. Only the project lead may pay for another one.`;
  return leadToolError({ code: 'not-judged', message, next: unjudgedTaskHint });
}

export const unjudgedTaskHint =
  'reject_task sends it back for another attempt. The project lead can judge it, or pay for one more validator: git flame validate';

export const failedTaskHint =
  'reject_task sends it back. Once it was sent back too often, the project lead decides: git flame validate';

/** The first few of the tasks, and how many more there are. */
export function listFirstTaskIds(tasks: readonly Pick<Task, 'id'>[]): string {
  const named = tasks.slice(0, 10).map(({ id }) => id);
  const left = tasks.length - named.length;
  return `${named.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

/** The changesets are built: the rest is the person's. */
export function alreadyHandedOverError(): FlameError {
  const message = 'The work is handed over: its changesets wait for the project lead.';
  return leadToolError({ code: 'completed', message, next: 'Ask the project lead to run: git flame review' });
}

export function sessionEndedError(id: string): FlameError {
  const next = 'create_tasks with an objective starts another one';
  return leadToolError({ code: 'session-ended', message: `Session ${id} has ended.`, next });
}

/** Only the person continues a session that was stopped. */
export function sessionStoppedError(id: string): FlameError {
  const message = `Session ${id} is stopped. Only the project lead decides whether it continues.`;
  return leadToolError(
    { code: 'session-stopped', message, next: 'Ask the project lead to run: git flame run' },
    'waiting',
  );
}

export function noOpenSessionError(): FlameError {
  const next = 'create_tasks with an objective starts one';
  return leadToolError({ code: 'no-session', message: 'No session is open in this repository.', next });
}
