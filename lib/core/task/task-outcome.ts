import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { DoneTask, Task, TaskIn } from '../../domain/state/task.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { shortId } from '../../util/short-names.ts';
import { saysSomething } from '../../util/telling-lines.ts';
import { boundText, oneLine } from './one-line.ts';
import {
  boundIssues,
  describeChange,
  illegalTransition,
  requireTransition,
  type TaskChange,
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
  return isRed && !saysSomething(override) ? 'fail' : status;
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
