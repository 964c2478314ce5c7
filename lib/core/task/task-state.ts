import { FlameError } from '../../domain/flame-error.ts';
import type { AttemptRecord } from '../../domain/state/attempt-record.ts';
import type { FileReason } from '../../domain/state/file-reason.ts';
import type { BuiltOn, Task, TaskStatus, TaskWithStatus } from '../../domain/state/task-schema.ts';
import { boundText, toOneLine } from './bound-text.ts';

/*
 *             ┌───── release ─────┐
 *             ▼                   │
 *   plan ─▶ pending ── claim ─▶ claimed ─ complete ─▶ done ── merge ─▶ merged ■
 *           ▲ │ ▲ ▲               │                   │  │
 *           │ │ │ └── retry ──┐  fail                 │  │
 *           │ │ │             │   ▼                   │  │
 *           │ │ │            failed ◀──── fail ───────┘  │
 *           │ │ │                 │                      │
 *           │ │ └─ restart ────┐ requeue                 │
 *   unblock │ │ block          │  ▼                      │
 *           │ ▼               requeued ◀──── requeue ────┘
 *         blocked ◀─── block ─────┘
 *
 *   drop: pending, blocked, requeued, failed or done ─▶ dropped ■
 */

/** Every legal change of status; the other ways from one to another take something back: a landing (takeBackTaskLanding), a rejection (undoTaskRejection). */
const transitions = {
  pending: ['claimed', 'blocked', 'dropped'],
  claimed: ['done', 'failed', 'pending'],
  done: ['merged', 'requeued', 'failed', 'dropped'],
  failed: ['pending', 'requeued', 'dropped'],
  blocked: ['pending', 'dropped'],
  requeued: ['pending', 'blocked', 'dropped'],
  merged: [],
  dropped: [],
} as const satisfies Readonly<Record<TaskStatus, readonly TaskStatus[]>>;

/** The statuses from which a task can come to this one. */
type Before<To extends TaskStatus> = {
  [From in TaskStatus]: To extends (typeof transitions)[From][number] ? From : never;
}[TaskStatus];

/** A task as it is after a change, and the words its commit says it with. */
export interface TaskChange<After extends Task = Task> {
  readonly task: After;
  /** `task-001: pending -> claimed by worker-1a2b3c4d` */
  readonly subject: string;
  /** `pending -> claimed` */
  readonly transition: string;
  /** Kind of a failure, and the rules that were broken. */
  readonly failure?: { readonly kind: string; readonly rules: readonly string[] };
}

/** Before anything was found about a task. */
export const emptyTaskResult: Task['result'] = { status: null, notes: '', issues: [] };

/** Fields of a task without a claim. */
export const unclaimedTaskFields = {
  agent_id: null,
  worktree: null,
  commit: null,
  start_commit: null,
  claimed_by: null,
  claimed_host: null,
  claimed_at: null,
} satisfies Partial<Task>;

/** Throws a FlameError `illegal-transition` where the table has no such change. */
export function requireTransition<To extends TaskStatus>(
  task: Task,
  to: To,
): asserts task is TaskWithStatus<Before<To>> {
  const legal: readonly TaskStatus[] = transitions[task.status];
  if (!legal.includes(to)) throw illegalTransitionError(task, to);
}

/** The task on the ground it now stands on. */
export function withBuiltOn<Before extends Task>(
  { built_on: _, ...rest }: Before,
  builtOn: BuiltOn = [],
): Omit<Before, 'built_on'> & Pick<Task, 'built_on'> {
  return builtOn.length === 0 ? rest : { ...rest, built_on: [...builtOn] };
}

/** The task with the work its next attempt starts from, if any. */
export function withKeptWork<Before extends Pick<Task, 'kept'>>(
  { kept: _, ...rest }: Before,
  kept: Task['kept'],
): Omit<Before, 'kept'> & Pick<Task, 'kept'> {
  return kept === undefined ? rest : { ...rest, kept };
}

/** The task with what became of several attempts at once, if any. */
export function withAttemptRecords<Before extends Pick<Task, 'tries'>>(
  { tries: _, ...rest }: Before,
  tries: readonly AttemptRecord[] = [],
): Omit<Before, 'tries'> & Pick<Task, 'tries'> {
  return tries.length === 0 ? rest : { ...rest, tries: [...tries] };
}

/** The task with what its worker says of the files it changed, if anything. */
export function withReasons<Before extends Pick<Task, 'reasons'>>(
  { reasons: _, ...rest }: Before,
  reasons: readonly FileReason[] = [],
): Omit<Before, 'reasons'> & Pick<Task, 'reasons'> {
  return reasons.length === 0 ? rest : { ...rest, reasons: [...reasons] };
}

/** The change from one to the other; `rest` follows the transition in its subject. */
export function makeTaskChange<After extends Task>(before: Task, task: After, rest: string): TaskChange<After> {
  const transition = `${before.status} -> ${task.status}`;
  // An unchanged status is left out; what was found or done is kept.
  const said = before.status === task.status && rest.startsWith(', ') ? rest.slice(2) : transition + rest;
  return { task, transition, subject: toOneLine(`${task.id}: ${said}`) };
}

/** As many issues, each as long, as a note may hold. */
export function boundIssues(issues: readonly string[]): string[] {
  return issues.slice(0, 50).map((issue) => boundText(issue, 1_000));
}

/** The error of a change that the table does not have. */
export function illegalTransitionError(task: Task, to: TaskStatus): FlameError {
  const legal: readonly TaskStatus[] = transitions[task.status];
  const next = legal.length === 0 ? 'no other state can follow' : `only ${legal.join(', ')} can follow`;
  return new FlameError({
    kind: 'refused',
    code: 'illegal-transition',
    message: `${task.id} can't change from ${task.status} to ${to}: ${next}.`,
    hints: [`git flame show ${task.id}`],
    data: { task: task.id, from: task.status, to },
  });
}
