import { type Failure, listFurtherDetails } from '../../domain/failure.ts';
import type { AgentId, ObjectId } from '../../domain/ids.ts';
import type { AttemptRecord } from '../../domain/state/attempt-record.ts';
import type { FileReason } from '../../domain/state/file-reason.ts';
import { nextClaimNumber } from '../../domain/state/machine-schemas.ts';
import type { BuiltOn, ClaimedTask, DoneTask, Task, TaskWithStatus } from '../../domain/state/task-schema.ts';
import { boundText, toOneLine } from './bound-text.ts';
import { addEarlierReasons } from './file-reasons.ts';
import { type AttemptCost, addEndedAttemptToHistory, amendHistoryOfDoneTask } from './task-history.ts';
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
  withReasons,
} from './task-state.ts';

/** pending → claimed: the agent (or person) works on it from now on. */
export function claimTask(
  task: Task,
  claim: {
    readonly agentId: AgentId | null;
    readonly worktree: string | null;
    readonly at: string;
    readonly claimedBy: string;
    readonly host?: string | null;
    /** Commit the work starts from, where that is known already. */
    readonly start?: ObjectId | null;
    /** Accepted work that had not landed and that it starts from; none by default. */
    readonly builtOn?: BuiltOn;
    /** Several attempts at once: who makes each, and the results of those that were made before. */
    readonly tries?: readonly AttemptRecord[];
  },
): TaskChange<ClaimedTask> {
  requireTransition(task, 'claimed');
  const next: ClaimedTask = {
    ...withAttemptRecords(withBuiltOn(task, claim.builtOn), claim.tries),
    status: 'claimed',
    agent_id: claim.agentId,
    worktree: claim.worktree,
    claimed_by: claim.claimedBy,
    claimed_host: claim.host ?? null,
    start_commit: claim.start ?? null,
    claimed_at: claim.at,
    claim: nextClaimNumber(task.claim),
    not_before: null,
    result: emptyTaskResult,
    reason: null,
  };
  return makeTaskChange(task, next, ` by ${claim.agentId ?? claim.claimedBy}`);
}

/** claimed → pending: given back without a verdict on the work; a retry isn't used up. */
export function releaseTask(
  task: Task,
  release: { readonly reason: string; readonly at: string } & Partial<AttemptCost>,
): TaskChange<TaskWithStatus<'pending'>> {
  requireTransition(task, 'pending');
  const history = addEndedAttemptToHistory(task, { ...release, result: 'released', notes: release.reason });
  const next: TaskWithStatus<'pending'> = {
    ...withBuiltOn(task),
    ...unclaimedTaskFields,
    status: 'pending',
    history,
  };
  return makeTaskChange(task, next, `, released: ${release.reason}`);
}

/** claimed → done: the attempt's commits were accepted onto the task's branch and await a verdict. */
export function completeTask(
  task: Task,
  work: {
    readonly commit: ObjectId;
    readonly start: ObjectId;
    readonly branch: string;
    /** Commit it started from, if that wasn't `start`. */
    readonly from?: ObjectId;
    /** Works in `start` that had not landed; by default as it was claimed. */
    readonly builtOn?: BuiltOn;
    readonly notes: string;
    readonly at: string;
    /** Where several were made: all attempts with the chosen one, and why it was chosen. */
    readonly tries?: readonly AttemptRecord[];
    readonly why?: string;
    /** What its worker says of the files it changed. */
    readonly reasons?: readonly FileReason[];
  } & AttemptCost,
): TaskChange<DoneTask> {
  requireTransition(task, 'done');
  const kept = work.from === undefined ? undefined : { commit: work.from, start: work.start };
  const reasons = addEarlierReasons(work.reasons ?? [], kept === undefined ? [] : task.reasons);
  const onGround = withReasons(withBuiltOn(task, work.builtOn ?? task.built_on), reasons);
  const next: DoneTask = {
    ...withAttemptRecords(withKeptWork(onGround, kept), work.tries),
    status: 'done',
    commit: work.commit,
    start_commit: work.start,
    branch: work.branch,
    result: { ...emptyTaskResult, notes: boundText(work.notes) },
    history: addEndedAttemptToHistory(task, { ...work, result: 'done' }),
  };
  const why = work.why === undefined ? '' : `, ${work.why}`;
  return makeTaskChange(task, next, ` by ${task.agent_id ?? task.claimed_by}${why}`);
}

/**
 * Puts a done task's own change onto other ground, without changing its status: what was found about it before is
 * about another commit. Throws a FlameError `illegal-transition` when it isn't done.
 */
export function recordRebaseOfTask(
  task: Task,
  replay: {
    readonly commit: ObjectId;
    readonly start: ObjectId;
    readonly builtOn: BuiltOn;
    /** Works it stood on before and does no more. */
    readonly without: readonly string[];
    readonly at: string;
  },
): TaskChange<DoneTask> {
  if (task.status !== 'done') throw illegalTransitionError(task, 'done');
  const { commit, start, builtOn, at } = replay;
  const said = `rebased, without the earlier work of ${replay.without.join(', ')}`;
  const notes = boundText([task.history.at(-1)?.notes ?? '', `Its change was ${said}.`].filter(Boolean).join('\n'));
  const next: DoneTask = {
    ...withBuiltOn(task, builtOn),
    status: 'done',
    commit,
    start_commit: start,
    result: { ...emptyTaskResult, notes },
    history: amendHistoryOfDoneTask(task, notes, at),
  };
  return makeTaskChange(task, next, `, ${said}`);
}

/**
 * Says of work that it also stands on these works, which it was begun upon as they had landed. What is still being done
 * is put on other ground once it is finished.
 */
export function addWorkBuiltOn(task: ClaimedTask | DoneTask, below: BuiltOn): TaskChange<ClaimedTask | DoneTask> {
  const known = task.built_on ?? [];
  const added = below.filter((one) => !known.some((other) => other.task === one.task));
  const names = below.map((one) => one.task).join(', ');
  const next = { ...task, built_on: [...known, ...added] };
  return makeTaskChange(task, next, `, started from ${names} as landed`);
}

/** claimed or done → failed. The worktree is still named: it's kept for a look until cleanup. */
export function failTask(
  task: Task,
  end: { readonly failure: Failure; readonly at: string } & AttemptCost,
): TaskChange<TaskWithStatus<'failed'>> {
  requireTransition(task, 'failed');
  const message = describeFailure(end.failure);
  const notes = [message, ...listFurtherDetails(end.failure)].join('\n');
  const next: TaskWithStatus<'failed'> = {
    ...task,
    status: 'failed',
    reason: toOneLine(message),
    result: { status: 'fail', notes: boundText(message), issues: boundIssues(end.failure.details) },
    history: addEndedAttemptToHistory(task, { ...end, result: 'failed', notes }),
  };
  const { kind, rules = [] } = end.failure;
  return { ...makeTaskChange(task, next, ` (${kind}): ${message}`), failure: { kind, rules } };
}

// Scripts look for the word: a spent budget must be distinguishable from every other failure.
function describeFailure(failure: Failure): string {
  const isNamed = failure.kind !== 'budget' || failure.message.includes('budget');
  return isNamed ? failure.message : `budget: ${failure.message}`;
}
