import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import type { DoneTask, Task, TaskIn } from '../../domain/state/task.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { isNonBlank } from '../../util/error-lines.ts';
import { shortId } from '../../util/short-names.ts';
import { boundText, oneLine } from './one-line.ts';
import { endAttempt, nextAttempt } from './task-history.ts';
import {
  boundIssues,
  describeChange,
  illegalTransition,
  noResult,
  requireTransition,
  type TaskChange,
  unclaimed,
  withAttempts,
  withBuiltOn,
  withKept,
} from './task-state.ts';

/** done → merged: its work is on the branch `into`; `as`: as that commit, and not by its own. */
export function mergeTask(
  task: Task,
  merge: { readonly into: string; readonly as?: ObjectId },
): TaskChange<TaskIn<'merged'>> {
  requireTransition(task, 'merged');
  const landed = merge.as === undefined ? {} : { landed_as: merge.as };
  const next: TaskIn<'merged'> = { ...task, status: 'merged', worktree: null, reason: null, ...landed };
  return describeChange(task, next, ` into ${merge.into}`);
}

/** To dropped: no further work on it. */
export function dropTask(task: Task, drop: { readonly reason: string }): TaskChange<TaskIn<'dropped'>> {
  requireTransition(task, 'dropped');
  const next: TaskIn<'dropped'> = { ...task, status: 'dropped', reason: oneLine(drop.reason) };
  return describeChange(task, next, `: ${drop.reason}`);
}

/**
 * Sets a done task's result without changing its status. Throws a FlameError `illegal-transition` when it
 * isn't done, `verdict-for-other-commit` when the verdict is about another commit than the task's.
 */
export function judgeTask(task: Task, verdict: Verdict): TaskChange<DoneTask> {
  if (task.status !== 'done') throw illegalTransition(task, 'done');
  if (verdict.commit !== task.commit) throw staleVerdict(task, verdict);
  const status = statusOf(verdict);
  const result = {
    status,
    notes: boundText(verdict.notes),
    issues: boundIssues(verdict.issues),
  };
  return describeChange(task, { ...task, result }, `, judged ${status} by ${verdict.by}`);
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
    message: `The verdict by ${oneLine(verdict.by)} is about ${shortId(verdict.commit)}, but ${task.id} is at ${shortId(task.commit)}.`,
    hints: ['git flame validate'],
    data: { task: task.id, judged: verdict.commit, commit: task.commit },
  });
}

type RequeueKind = 'rejected' | 'validation_failed' | 'conflict' | 'restart';

const fresh = {
  ...unclaimed,
  retry_count: 0,
  not_before: null,
  result: noResult,
  reason: null,
} satisfies Partial<Task>;

/** failed → pending, not before a time. `isCounted: false` uses up no retry (rate limits). */
export function retryTask(
  task: Task,
  retry: { readonly notBefore: string | null; readonly at: string; readonly isCounted?: boolean },
): TaskChange<TaskIn<'pending'>> {
  requireTransition(task, 'pending');
  const retryCount = task.retry_count + (retry.isCounted === false ? 0 : 1);
  const next: TaskIn<'pending'> = {
    // Attempts that were cut short continue with what is there of them.
    ...withAttempts(withBuiltOn(task), retry.isCounted === false ? task.tries : []),
    ...unclaimed,
    status: 'pending',
    retry_count: retryCount,
    not_before: retry.notBefore,
  };
  const wait = retry.notBefore === null ? 0 : Date.parse(retry.notBefore) - Date.parse(retry.at);
  const when = wait > 0 ? ` in ${Math.ceil(wait / 1_000)} s` : '';
  return describeChange(
    task,
    next,
    `, ${retry.isCounted === false ? 'again' : `retry ${retryCount}`}${when}`,
  );
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
): TaskChange<TaskIn<'requeued'>> {
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
  const next: TaskIn<'requeued'> = {
    ...withAttempts(requeue.kind === 'rejected' || kept !== undefined ? withKept(task, kept) : task),
    status: 'requeued',
    reason: oneLine(why),
    result: { status: 'fail', notes: boundText(notes), issues: task.result.issues },
    history: endAttempt(task, { at: requeue.at, result: requeue.kind, notes, rejection, comments, ...made }),
    ...(requeue.description === undefined ? {} : { description: requeue.description }),
    ...(requeue.file_locks === undefined ? {} : { file_locks: [...requeue.file_locks] }),
  };
  return describeChange(task, next, `, ${requeue.kind.replace('_', ' ')}: ${why}`);
}

function workOf({ commit, start_commit: start }: Task): Task['kept'] {
  return commit === null || start === null ? undefined : { commit, start };
}

/** requeued → pending, as if never tried but for its history: all retries are available again. */
export function restartTask(task: Task): TaskChange<TaskIn<'pending'>> {
  return describeChange(task, asFresh(task), `, attempt ${nextAttempt(task.history)} may start`);
}

function asFresh(task: Task): TaskIn<'pending'> {
  requireTransition(task, 'pending');
  return { ...withAttempts(withBuiltOn(task)), ...fresh, status: 'pending' };
}

/** pending or requeued → blocked: something it needs won't come. */
export function blockTask(task: Task, block: { readonly reason: string }): TaskChange<TaskIn<'blocked'>> {
  requireTransition(task, 'blocked');
  const next: TaskIn<'blocked'> = { ...task, status: 'blocked', reason: oneLine(block.reason) };
  return describeChange(task, next, `: ${block.reason}`);
}

/** blocked → pending. */
export function unblockTask(task: Task): TaskChange<TaskIn<'pending'>> {
  return describeChange(task, asFresh(task), ', no longer blocked');
}

/**
 * Notes for the next attempt about a failed validation: the person's text, then the validator's findings as far as
 * those don't repeat it.
 */
export function requeueNotes(said: string, { notes, issues }: Task['result']): string {
  const found = issues.filter((issue) => !said.includes(issue)).map((issue) => `- ${issue}`);
  const judged = notes === '' || said.includes(notes) ? [] : [`The validator wrote: ${notes}`];
  return [said, ...judged, ...found].join('\n');
}
