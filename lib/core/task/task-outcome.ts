import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import type { DoneTask, Task, TaskWithStatus } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { isNonBlank } from '../../util/error-text.ts';
import { shortId } from '../../util/short-names.ts';
import { boundText, toOneLine } from './bound-text.ts';
import { addEndedAttemptToHistory, nextAttemptNumber } from './task-history.ts';
import {
  boundIssues,
  emptyTaskResult,
  illegalTransitionError,
  makeTaskChange,
  requireTransition,
  type TaskChange,
  unclaimedTaskFields,
  withAttemptRecords,
  withBuiltOn,
  withKeptWork,
} from './task-state.ts';

/** done → merged: its work is on the branch `into`; `as`: as that commit, and not by its own. */
export function markTaskMerged(
  task: Task,
  merge: { readonly into: string; readonly as?: ObjectId },
): TaskChange<TaskWithStatus<'merged'>> {
  requireTransition(task, 'merged');
  const landed = merge.as === undefined ? {} : { landed_as: merge.as };
  const next: TaskWithStatus<'merged'> = {
    ...task,
    status: 'merged',
    worktree: null,
    reason: null,
    ...landed,
  };
  return makeTaskChange(task, next, ` into ${merge.into}`);
}

/** To dropped: no further work on it. */
export function dropTask(task: Task, drop: { readonly reason: string }): TaskChange<TaskWithStatus<'dropped'>> {
  requireTransition(task, 'dropped');
  const next: TaskWithStatus<'dropped'> = { ...task, status: 'dropped', reason: toOneLine(drop.reason) };
  return makeTaskChange(task, next, `: ${drop.reason}`);
}

/**
 * Sets a done task's result without changing its status. Throws a FlameError `illegal-transition` when it
 * isn't done, `verdict-for-other-commit` when the verdict is about another commit than the task's.
 */
export function applyVerdictToTask(task: Task, verdict: Verdict): TaskChange<DoneTask> {
  if (task.status !== 'done') throw illegalTransitionError(task, 'done');
  if (verdict.commit !== task.commit) throw staleVerdict(task, verdict);
  const status = statusOf(verdict);
  const result = {
    status,
    notes: boundText(verdict.notes),
    issues: boundIssues(verdict.issues),
  };
  return makeTaskChange(task, { ...task, result }, `, judged ${status} by ${verdict.by}`);
}

/** A failing diagnostic means failed, even against the verdict, unless a person gave a reason to accept it. */
function statusOf({ status, diagnostics, override = '' }: Verdict): Verdict['status'] {
  const isRed = diagnostics.some(({ exit_code: exitCode }) => exitCode !== 0);
  return isRed && !isNonBlank(override) ? 'fail' : status;
}

function staleVerdict(task: DoneTask, verdict: Verdict): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'verdict-for-other-commit',
    message: `The verdict by ${toOneLine(verdict.by)} is about ${shortId(verdict.commit)}, but ${task.id} is at ${shortId(task.commit)}.`,
    hints: ['git flame validate'],
    data: { task: task.id, judged: verdict.commit, commit: task.commit },
  });
}

type RequeueKind = 'rejected' | 'validation_failed' | 'conflict' | 'restart';

const fresh = {
  ...unclaimedTaskFields,
  retry_count: 0,
  not_before: null,
  result: emptyTaskResult,
  reason: null,
} satisfies Partial<Task>;

/** failed → pending, not before a time. `doesFailureUseUpAttempt: false` uses up no retry (rate limits). */
export function retryTask(
  task: Task,
  retry: { readonly notBefore: string | null; readonly at: string; readonly isCounted?: boolean },
): TaskChange<TaskWithStatus<'pending'>> {
  requireTransition(task, 'pending');
  const retryCount = task.retry_count + (retry.isCounted === false ? 0 : 1);
  const next: TaskWithStatus<'pending'> = {
    // Attempts that were cut short continue with what is there of them.
    ...withAttemptRecords(withBuiltOn(task), retry.isCounted === false ? task.tries : []),
    ...unclaimedTaskFields,
    status: 'pending',
    retry_count: retryCount,
    not_before: retry.notBefore,
  };
  const wait = retry.notBefore === null ? 0 : Date.parse(retry.notBefore) - Date.parse(retry.at);
  const when = wait > 0 ? ` in ${Math.ceil(wait / 1_000)} s` : '';
  return makeTaskChange(task, next, `, ${retry.isCounted === false ? 'again' : `retry ${retryCount}`}${when}`);
}

/**
 * done or failed → requeued: for another attempt that knows why. A rejection's `reason` becomes the
 * history's rejection reason; `notes` are guidance. The description and locks can be replaced. Work a person kept
 * stays kept until they reject what was made of it.
 */
export function requeueTask(
  task: Task,
  requeue: {
    readonly kind: RequeueKind;
    readonly at: string;
    readonly reason?: string;
    readonly notes?: string;
    readonly description?: string;
    readonly file_locks?: readonly string[];
    readonly comments?: readonly LineComment[];
    /** The next attempt starts from this one. */
    readonly keep?: boolean;
    /** The notes and comments are what was said of its pull request. */
    readonly isOnRequest?: boolean;
  },
): TaskChange<TaskWithStatus<'requeued'>> {
  requireTransition(task, 'requeued');
  const { comments = [] } = requeue;
  const why = requeue.reason ?? requeue.notes ?? '';
  const notes = requeue.notes ?? why;
  const rejection = requeue.kind === 'rejected' ? why : null;
  const work = workOf(task);
  const kept = requeue.keep === true ? work : undefined;
  const made = {
    ...(work === undefined ? {} : { work }),
    ...(requeue.isOnRequest === true ? { isOnRequest: true } : {}),
  };
  const next: TaskWithStatus<'requeued'> = {
    ...withAttemptRecords(requeue.kind === 'rejected' || kept !== undefined ? withKeptWork(task, kept) : task),
    status: 'requeued',
    reason: toOneLine(why),
    result: { status: 'fail', notes: boundText(notes), issues: task.result.issues },
    history: addEndedAttemptToHistory(task, {
      at: requeue.at,
      result: requeue.kind,
      notes,
      rejection,
      comments,
      ...made,
    }),
    ...(requeue.description === undefined ? {} : { description: requeue.description }),
    ...(requeue.file_locks === undefined ? {} : { file_locks: [...requeue.file_locks] }),
  };
  return makeTaskChange(task, next, `, ${requeue.kind.replace('_', ' ')}: ${why}`);
}

function workOf({ commit, start_commit: start }: Task): Task['kept'] {
  return commit === null || start === null ? undefined : { commit, start };
}

/** requeued → pending, as if never tried but for its history: all retries are available again. */
export function makeRequeuedTaskPending(task: Task): TaskChange<TaskWithStatus<'pending'>> {
  return makeTaskChange(task, asFresh(task), `, attempt ${nextAttemptNumber(task.history)} may start`);
}

function asFresh(task: Task): TaskWithStatus<'pending'> {
  requireTransition(task, 'pending');
  return { ...withAttemptRecords(withBuiltOn(task)), ...fresh, status: 'pending' };
}

/** pending or requeued → blocked: something it needs won't come. */
export function blockTask(task: Task, block: { readonly reason: string }): TaskChange<TaskWithStatus<'blocked'>> {
  requireTransition(task, 'blocked');
  const next: TaskWithStatus<'blocked'> = { ...task, status: 'blocked', reason: toOneLine(block.reason) };
  return makeTaskChange(task, next, `: ${block.reason}`);
}

/** blocked → pending. */
export function unblockTask(task: Task): TaskChange<TaskWithStatus<'pending'>> {
  return makeTaskChange(task, asFresh(task), ', no longer blocked');
}

/**
 * Notes for the next attempt about a failed validation: the person's text, then the validator's findings as far as
 * those don't repeat it.
 */
export function renderRequeueNotes(said: string, { notes, issues }: Task['result']): string {
  const found = issues.filter((issue) => !said.includes(issue)).map((issue) => `- ${issue}`);
  const judged = notes === '' || said.includes(notes) ? [] : [`The validator wrote: ${notes}`];
  return [said, ...judged, ...found].join('\n');
}
