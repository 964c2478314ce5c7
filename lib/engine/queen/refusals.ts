import { FlameError } from '../../domain/flame-error.ts';
import type { Task } from '../../domain/state/task.ts';

// What a model that leads is refused, each with what it can do instead: hints name its tools, or the person's command.

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly next: string;
  readonly details?: readonly string[];
}

/** `waiting`: a person must decide first. */
export function refusal(
  { code, message, next, details = [] }: Refusal,
  kind: 'refused' | 'waiting' = 'refused',
): FlameError {
  return new FlameError({ kind, code, message, details, hints: [next], hintsFor: 'model' });
}

export function planNotApproved(): FlameError {
  return refusal(
    {
      code: 'plan-not-approved',
      message: 'The project lead has not approved the plan yet: nothing can be worked on before.',
      next: 'wait_for_workers tells when it is decided; the lead decides with: git flame plan',
    },
    'waiting',
  );
}

/** Approved were other words than those that are proposed now. */
export function changeNotApproved(tasks: readonly Pick<Task, 'id'>[]): FlameError {
  const named = someOf(tasks.map(({ id }) => id));
  return refusal(
    {
      code: 'plan-not-approved',
      message: `You changed or dropped ${named} after the project lead had approved the plan, who has not approved that yet.`,
      next: 'wait_for_workers tells when it is decided; the lead decides with: git flame plan',
    },
    'waiting',
  );
}

export function notDone({ id, status }: Pick<Task, 'id' | 'status'>): FlameError {
  return refusal({
    code: 'not-done',
    message: `${id} is ${status}: there is no finished work to judge.`,
    next: waysOf[status] ?? 'wait_for_workers, then get_task_output',
  });
}

const waysOf: Partial<Record<Task['status'], string>> = {
  pending: 'assign_task has it worked on; wait_for_workers tells when it is done',
  requeued: 'assign_task has it worked on; wait_for_workers tells when it is done',
  failed: 'reject_task sends it back, drop_tasks takes it out of the plan',
  blocked: 'reject_task sends back what it waits for, drop_tasks takes it out of the plan',
  dropped: 'get_status names the tasks there are',
  merged: 'get_status names the tasks there are',
};

export function staleCommit(id: string, named: string, now: string): FlameError {
  return refusal({
    code: 'stale-commit',
    message: `${id} is at ${now.slice(0, 12)} by now, not at ${named.slice(0, 12)}.`,
    next: 'get_task_output shows what is there now; judge that',
  });
}

/** Two validators gave no verdict: whether a third is paid for, or a person judges it, is theirs to say. */
export function leftUnjudged(ids: readonly string[]): FlameError {
  return refusal({
    code: 'not-judged',
    message: `Validators gave no verdict on ${someOf(ids)}: no other one is paid for unless the lead says so.`,
    next: unjudgedWay,
  });
}

export const unjudgedWay =
  'reject_task sends it back, to be done and judged anew; the lead can judge it, or pay for one more validator: git flame validate';

/** The first few of a list, and how many more there are. */
export function someOf(ids: readonly string[]): string {
  const named = ids.slice(0, 10);
  const left = ids.length - named.length;
  return `${named.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

/** The changesets are built: what is left is the person's. */
export function alreadyCompleted(): FlameError {
  return refusal({
    code: 'completed',
    message: 'The work was handed over: its changesets wait for the project lead.',
    next: 'Tell the lead: git flame review',
  });
}

export function sessionEnded(id: string): FlameError {
  return refusal({
    code: 'session-ended',
    message: `Session ${id} is over.`,
    next: 'create_tasks with an objective begins another one',
  });
}

/** A chat leads what it or another one began; a person's session it only works in. */
export function personsSession(id: string): FlameError {
  return refusal({
    code: 'leads-not',
    message: `The project lead began session ${id}: ending it is theirs.`,
    next: `Tell the lead why; they end it with: git flame session end ${id}, or go on with: git flame run`,
  });
}

/** To go on is the person's word, who stopped it or was told that it stopped. */
export function sessionStopped(id: string): FlameError {
  return refusal(
    {
      code: 'session-stopped',
      message: `Session ${id} is stopped: whether it goes on is the lead's to say.`,
      next: 'Tell the lead: git flame run',
    },
    'waiting',
  );
}

export function noSessionYet(): FlameError {
  return refusal({
    code: 'no-session',
    message: 'No session is open in this repository.',
    next: 'create_tasks with an objective begins one',
  });
}

/** Throws FlameError `still-running` while agents or people work on tasks. */
export function requireNoneRunning(tasks: readonly Task[]): void {
  const running = tasks.filter(({ status }) => status === 'claimed');
  if (running.length === 0) return;
  throw refusal({
    code: 'still-running',
    message: `${someOf(running.map(({ id }) => id))} ${running.length === 1 ? 'is' : 'are'} still worked on.`,
    next: 'wait_for_workers',
  });
}
