import { type Failure, furtherDetails } from '../../domain/failure.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { AgentId, ObjectId } from '../../domain/ids.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import type {
  BuiltOn,
  ClaimedTask,
  DoneTask,
  HistoryEntry,
  Task,
  TaskIn,
  TaskStatus,
} from '../../domain/state/task.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { saysSomething } from '../../util/says-something.ts';
import { boundText, oneLine } from './one-line.ts';
import { type AttemptCost, amendAttempt, endAttempt, nextAttempt } from './task-history.ts';

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

/** Every legal change of status; there is no other way from one to another. */
export const transitions = {
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
  /** Of a failure: its kind and the rules that were broken. */
  readonly failure?: { readonly kind: string; readonly rules: readonly string[] };
}

type RequeueKind = 'rejected' | 'validation_failed' | 'conflict' | 'restart';

const noResult: Task['result'] = { status: null, notes: '', issues: [] };
const unclaimed = {
  agent_id: null,
  worktree: null,
  commit: null,
  start_commit: null,
  claimed_by: null,
  claimed_host: null,
  claimed_at: null,
} satisfies Partial<Task>;
const fresh = {
  ...unclaimed,
  retry_count: 0,
  not_before: null,
  result: noResult,
  reason: null,
} satisfies Partial<Task>;

/** Throws a FlameError `illegal-transition` where the table has no such change. */
export function requireTransition<To extends TaskStatus>(
  task: Task,
  to: To,
): asserts task is TaskIn<Before<To>> {
  const legal: readonly TaskStatus[] = transitions[task.status];
  if (!legal.includes(to)) throw illegalTransition(task, to);
}

/** pending → claimed: the agent (or person) works on it from now on. */
export function claimTask(
  task: Task,
  claim: {
    readonly agentId: AgentId | null;
    readonly worktree: string | null;
    readonly at: string;
    readonly claimedBy: string;
    readonly host?: string | null;
    /** What the work starts from, where that is known already. */
    readonly start?: ObjectId | null;
    /** Accepted work that had not landed and that it starts from; none by default. */
    readonly builtOn?: BuiltOn;
  },
): TaskChange<ClaimedTask> {
  requireTransition(task, 'claimed');
  const next: ClaimedTask = {
    ...withGround(task, claim.builtOn),
    status: 'claimed',
    agent_id: claim.agentId,
    worktree: claim.worktree,
    claimed_by: claim.claimedBy,
    claimed_host: claim.host ?? null,
    start_commit: claim.start ?? null,
    claimed_at: claim.at,
    not_before: null,
    result: noResult,
    reason: null,
  };
  return describe(task, next, ` by ${claim.agentId ?? claim.claimedBy}`);
}

/** claimed → pending: given back without a verdict on the work; a retry isn't used up. */
export function releaseTask(
  task: Task,
  release: { readonly reason: string; readonly at: string } & Partial<AttemptCost>,
): TaskChange<TaskIn<'pending'>> {
  requireTransition(task, 'pending');
  const history = endAttempt(task, { ...release, result: 'released', notes: release.reason });
  const next: TaskIn<'pending'> = { ...withGround(task), ...unclaimed, status: 'pending', history };
  return describe(task, next, `, released: ${release.reason}`);
}

/** claimed → done: the attempt's commits were accepted onto the task's branch and await a verdict. */
export function completeTask(
  task: Task,
  work: {
    readonly commit: ObjectId;
    readonly start: ObjectId;
    readonly branch: string;
    /** Where it started, if that wasn't `start`. */
    readonly from?: ObjectId;
    /** What `start` holds that had not landed; by default as it was claimed. */
    readonly builtOn?: BuiltOn;
    readonly notes: string;
    readonly at: string;
  } & AttemptCost,
): TaskChange<DoneTask> {
  requireTransition(task, 'done');
  const kept = work.from === undefined ? undefined : { commit: work.from, start: work.start };
  const next: DoneTask = {
    ...withKept(withGround(task, work.builtOn ?? task.built_on), kept),
    status: 'done',
    commit: work.commit,
    start_commit: work.start,
    branch: work.branch,
    result: { status: null, notes: boundText(work.notes), issues: [] },
    history: endAttempt(task, { ...work, result: 'done' }),
  };
  return describe(task, next, ` by ${task.agent_id ?? task.claimed_by}`);
}

/**
 * Puts a done task's own change onto other ground, without changing its status: what was found about it before is
 * about another commit. Throws a FlameError `illegal-transition` when it isn't done.
 */
export function replayTask(
  task: Task,
  replay: {
    readonly commit: ObjectId;
    readonly start: ObjectId;
    readonly builtOn: BuiltOn;
    /** What it stood on before and does no more. */
    readonly without: readonly string[];
    readonly at: string;
  },
): TaskChange<DoneTask> {
  if (task.status !== 'done') throw illegalTransition(task, 'done');
  const { commit, start, builtOn, at } = replay;
  const said = `put on other ground, without ${replay.without.join(', ')} as it was`;
  const notes = [task.history.at(-1)?.notes ?? '', `Its change was ${said}.`].filter(Boolean).join('\n');
  const next: DoneTask = {
    ...withGround(task, builtOn),
    status: 'done',
    commit,
    start_commit: start,
    result: { status: null, notes: boundText(notes), issues: [] },
    history: amendAttempt(task.history, doneAgain(task, notes, at)),
  };
  return describe(task, next, `, ${said}`);
}

function doneAgain({ agent_id, history }: Task, notes: string, at: string): Omit<HistoryEntry, 'attempt'> {
  const { comments } = history.at(-1) ?? {};
  return {
    ...{ agent_id, timestamp: at, result: 'done', notes: boundText(notes), rejection_reason: null },
    ...{ cost_usd: 0, tokens_used: 0, ...(comments === undefined ? {} : { comments }) },
  };
}

/** claimed or done → failed. The worktree is still named: it's kept for a look until cleanup. */
export function failTask(
  task: Task,
  end: { readonly failure: Failure; readonly at: string } & AttemptCost,
): TaskChange<TaskIn<'failed'>> {
  requireTransition(task, 'failed');
  const message = describeFailure(end.failure);
  const notes = [message, ...furtherDetails(end.failure)].join('\n');
  const next: TaskIn<'failed'> = {
    ...task,
    status: 'failed',
    reason: oneLine(message),
    result: { status: 'fail', notes: boundText(message), issues: boundIssues(end.failure.details) },
    history: endAttempt(task, { ...end, result: 'failed', notes }),
  };
  const { kind, rules = [] } = end.failure;
  return { ...describe(task, next, ` (${kind}): ${message}`), failure: { kind, rules } };
}

/** failed → pending, not before a time. `isCounted: false` uses up no retry (rate limits). */
export function retryTask(
  task: Task,
  retry: { readonly notBefore: string | null; readonly at: string; readonly isCounted?: boolean },
): TaskChange<TaskIn<'pending'>> {
  requireTransition(task, 'pending');
  const retryCount = task.retry_count + (retry.isCounted === false ? 0 : 1);
  const next: TaskIn<'pending'> = {
    ...withGround(task),
    ...unclaimed,
    status: 'pending',
    retry_count: retryCount,
    not_before: retry.notBefore,
  };
  const wait = retry.notBefore === null ? 0 : Date.parse(retry.notBefore) - Date.parse(retry.at);
  const when = wait > 0 ? ` in ${Math.ceil(wait / 1_000)} s` : '';
  return describe(task, next, `, retry ${retryCount}${when}`);
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
  },
): TaskChange<TaskIn<'requeued'>> {
  requireTransition(task, 'requeued');
  const { comments = [] } = requeue;
  const why = requeue.reason ?? requeue.notes ?? '';
  const notes = requeue.notes ?? why;
  const rejection = requeue.kind === 'rejected' ? why : null;
  const work = workOf(task);
  const kept = requeue.keep === true ? work : undefined;
  const made = work === undefined ? {} : { work };
  const next: TaskIn<'requeued'> = {
    ...(requeue.kind === 'rejected' || kept !== undefined ? withKept(task, kept) : task),
    status: 'requeued',
    reason: oneLine(why),
    result: { status: 'fail', notes: boundText(notes), issues: task.result.issues },
    history: endAttempt(task, { at: requeue.at, result: requeue.kind, notes, rejection, comments, ...made }),
    ...(requeue.description === undefined ? {} : { description: requeue.description }),
    ...(requeue.file_locks === undefined ? {} : { file_locks: [...requeue.file_locks] }),
  };
  return describe(task, next, `, ${requeue.kind.replace('_', ' ')}: ${why}`);
}

function withGround<Before extends Task>(
  { built_on: _, ...rest }: Before,
  builtOn: BuiltOn = [],
): Omit<Before, 'built_on'> & Pick<Task, 'built_on'> {
  return builtOn.length === 0 ? rest : { ...rest, built_on: [...builtOn] };
}

function withKept<Before extends Task>(
  { kept: _, ...rest }: Before,
  kept: Task['kept'],
): Omit<Before, 'kept'> & Pick<Task, 'kept'> {
  return kept === undefined ? rest : { ...rest, kept };
}

function workOf({ commit, start_commit: start }: Task): Task['kept'] {
  return commit === null || start === null ? undefined : { commit, start };
}

/** requeued → pending, as if never tried but for its history: all retries are available again. */
export function restartTask(task: Task): TaskChange<TaskIn<'pending'>> {
  return describe(task, asFresh(task), `, attempt ${nextAttempt(task.history)} may begin`);
}

function asFresh(task: Task): TaskIn<'pending'> {
  requireTransition(task, 'pending');
  return { ...withGround(task), ...fresh, status: 'pending' };
}

/** pending or requeued → blocked: something it needs won't come. */
export function blockTask(task: Task, block: { readonly reason: string }): TaskChange<TaskIn<'blocked'>> {
  requireTransition(task, 'blocked');
  const next: TaskIn<'blocked'> = { ...task, status: 'blocked', reason: oneLine(block.reason) };
  return describe(task, next, `: ${block.reason}`);
}

/** blocked → pending. */
export function unblockTask(task: Task): TaskChange<TaskIn<'pending'>> {
  return describe(task, asFresh(task), ', no longer blocked');
}

/** done → merged: its work is on the branch `into`. */
export function mergeTask(task: Task, merge: { readonly into: string }): TaskChange<TaskIn<'merged'>> {
  requireTransition(task, 'merged');
  const next: TaskIn<'merged'> = { ...task, status: 'merged', worktree: null, reason: null };
  return describe(task, next, ` into ${merge.into}`);
}

/** To dropped: no further work on it. */
export function dropTask(task: Task, drop: { readonly reason: string }): TaskChange<TaskIn<'dropped'>> {
  requireTransition(task, 'dropped');
  const next: TaskIn<'dropped'> = { ...task, status: 'dropped', reason: oneLine(drop.reason) };
  return describe(task, next, `: ${drop.reason}`);
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
  return describe(task, { ...task, result }, `, judged ${status} by ${verdict.by}`);
}

/**
 * A failing diagnostic is no pass, whatever the verdict says, unless a person gave a reason why it may be.
 */
function statusOf({ status, diagnostics, override = '' }: Verdict): Verdict['status'] {
  const isRed = diagnostics.some(({ exit_code: exitCode }) => exitCode !== 0);
  return isRed && !saysSomething(override) ? 'fail' : status;
}

function describe<After extends Task>(before: Task, task: After, rest: string): TaskChange<After> {
  const transition = `${before.status} -> ${task.status}`;
  return { task, transition, subject: oneLine(`${task.id}: ${transition}${rest}`) };
}

// Scripts look for the word: a spent budget must be distinguishable from every other failure.
function describeFailure(failure: Failure): string {
  const isNamed = failure.kind !== 'budget' || failure.message.includes('budget');
  return isNamed ? failure.message : `budget: ${failure.message}`;
}

function boundIssues(issues: readonly string[]): string[] {
  return issues.slice(0, 50).map((issue) => boundText(issue, 1_000));
}

function illegalTransition(task: Task, to: TaskStatus): FlameError {
  const legal: readonly TaskStatus[] = transitions[task.status];
  const next = legal.length === 0 ? 'nothing follows' : `only ${legal.join(', ')} can follow`;
  return new FlameError({
    kind: 'refused',
    code: 'illegal-transition',
    message: `${task.id} can't go from ${task.status} to ${to}: ${next}.`,
    hints: [`git flame show ${task.id}`],
    data: { task: task.id, from: task.status, to },
  });
}

function staleVerdict(task: DoneTask, verdict: Verdict): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'verdict-for-other-commit',
    message: `The verdict by ${oneLine(verdict.by)} is about ${verdict.commit.slice(0, 12)}, but ${task.id} is at ${task.commit.slice(0, 12)}.`,
    hints: ['git flame validate'],
    data: { task: task.id, judged: verdict.commit, commit: task.commit },
  });
}
