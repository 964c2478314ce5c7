import { toAcceptedCommitsDecision } from '../../core/admission/make-decisions.ts';
import type { BlackboardPageChange } from '../../core/blackboard/change-blackboard-page.ts';
import type { WorkerNotes } from '../../core/blackboard/parse-notes-in-message.ts';
import { withdrawTasks } from '../../core/task/block-dependents.ts';
import { decideRetryAfterFailure } from '../../core/task/retry-after-failure.ts';
import { completeTask, failTask, releaseTask } from '../../core/task/task-attempt.ts';
import { applyVerdictToTask, retryTask } from '../../core/task/task-outcome.ts';
import { branchMovedError } from '../../domain/concurrency-errors.ts';
import type { Failure } from '../../domain/failure.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { type AgentId, type ObjectId, type SessionId, taskBranch } from '../../domain/ids.ts';
import type { AgentOutcome } from '../../domain/ports/agent-port.ts';
import type { CellWorktree, GitCells } from '../../domain/ports/git-cells.ts';
import type { ClaimedTask, Task } from '../../domain/state/task-schema.ts';
import { formatCount } from '../../util/format-figures.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { makeWorkerNotesChange } from '../blackboard/worker-notes.ts';
import { rescueSupersededWork } from '../machines/watch-agent-claims.ts';
import {
  decideAndRecord,
  type RecordContext,
  recordUnderAnyLead,
  requireTaskInView,
  viewSession,
} from '../record-changes.ts';
import { rescueFormerBranchTip } from '../retention/rescue-refs.ts';
import { type AdapterFacts, type RunContext, timestamp, type WithGit, warn } from '../run-context.ts';
import { runFailureScript } from '../run-script.ts';

export interface Attempt {
  readonly session: SessionId;
  readonly task: Task;
  readonly agent: AgentId;
  readonly adapter: AdapterFacts;
  /** When, in milliseconds; null: not known. */
  readonly began: number | null;
  /** Path of its worktree. */
  readonly path: string;
}

export interface AttemptEnding {
  readonly failure: Failure | null;
  /** Its objects are in the repository; null when it failed. */
  readonly work: {
    readonly tip: ObjectId;
    readonly cell: CellWorktree;
    readonly leftBehind: readonly string[];
    /** Files that git ignores in it, in words. */
    readonly hidden: readonly string[];
  } | null;
  readonly notes: string;
  /** Notes for later tasks. */
  readonly leftNotes: Pick<WorkerNotes, 'notes' | 'leftOut'>;
  /** What it says of the files it changed. */
  readonly reasons: WorkerNotes['reasons'];
  /** Whether its agent ended well, and it failed, if it did, by what it left. */
  readonly isJudged: boolean;
  readonly outcome: Pick<AgentOutcome, 'cost_usd' | 'tokens'>;
}

/**
 * Records what an attempt came to: done with its branch moved, tried again, or failed with its dependents blocked.
 * `onRecorded` is called before the rest, so that callers need not wait for that.
 */
export async function recordAttemptEnding(
  context: RunContext,
  attempt: Attempt,
  ending: AttemptEnding,
  onRecorded: () => void = () => undefined,
): Promise<void> {
  const { failure } = ending;
  if (failure === null) return complete(context, attempt, ending, onRecorded);
  const jitter = context.random();
  let willRetry = false;
  const recorded = await decideAndRecord(context, attempt.session, (view) => {
    const task = requireTaskInView(view, attempt.task.id);
    if (!holds(task, attempt)) return null;
    const at = timestamp(context);
    const failedStep = failTask(task, {
      failure,
      at,
      cost: ending.outcome.cost_usd,
      tokens: ending.outcome.tokens,
    });
    const next = decideRetryAfterFailure(failedStep.task, failure, {
      maxRetries: context.config.limits.max_retries,
      now: context.now().getTime(),
      jitter,
    });
    willRetry = next.kind === 'retry';
    const steps =
      next.kind === 'retry'
        ? [failedStep, retryTask(failedStep.task, { notBefore: next.notBefore, isCounted: next.isCounted, at })]
        : withdrawTasks(view.tasks, [failedStep], at);
    return { steps, body: failure.message };
  });
  onRecorded();
  if (recorded.kind === 'nothing') return rescueSupersededAttempt(context, attempt, null);
  context.events.emit({ event: 'task-failed', task: attempt.task.id, failure, will_retry: willRetry });
  if (!willRetry) await runFailureScript(context, attempt.session, attempt.task.id, failure);
}

async function complete(
  context: RunContext,
  attempt: Attempt,
  { work, notes, leftNotes, reasons, outcome }: AttemptEnding,
  onRecorded: () => void,
): Promise<void> {
  if (work === null) return;
  const { start, base } = work.cell;
  const done: DoneWork = {
    commit: work.tip,
    start: base,
    ...(start === base ? {} : { from: start }),
    notes,
    reasons,
    cost: outcome.cost_usd,
    tokens: outcome.tokens,
  };
  const isDone = await recordAcceptedWork(context, attempt, {
    leftNotes,
    onRecorded,
    by: attempt.agent,
    done,
    tip: work.tip,
  });
  // Only now: until the branch holds it, the cell is what keeps the work. Files that were not accepted stay in it.
  if (!isDone) return;
  if (work.hidden.length > 0)
    warn(
      context,
      `${attempt.task.id} is done, but no commit holds ${formatCount(work.hidden.length, 'path')} of its work${work.leftBehind.length > 0 ? `; its worktree stays: ${work.cell.path}` : ''}.`,
      work.hidden.slice(0, 20),
    );
  if (work.leftBehind.length > 0) await leaveWorktreeToPerson(context, work.cell);
  else await context.git.discardCell(work.cell);
}

/** Accepted work as its task is to hold it. */
type DoneWork = Omit<Parameters<typeof completeTask>[1], 'at' | 'branch'>;

interface Accepted {
  readonly tip: ObjectId;
  /** Agent of the work. */
  readonly by: AgentId;
  readonly leftNotes: AttemptEnding['leftNotes'];
  readonly done: DoneWork;
  readonly onRecorded: () => void;
}

/** Moves a task's branch to accepted work, and its note with it. false: its claim was given up. */
export async function recordAcceptedWork(
  context: RunContext,
  attempt: Attempt,
  { tip, by, leftNotes, done, onRecorded }: Accepted,
): Promise<boolean> {
  const { session, task } = attempt;
  const ref = taskBranch(session, task.id);
  const old = await context.git.resolveCommit(ref);
  await rescueFormerBranchTip(context, { session, task: task.id }, { old, tip });
  const { change, warnings } = makeWorkerNotesChange(context, { task, agent: by }, leftNotes);
  const recorded = await decideAndRecord(context, session, (view) => {
    const now = requireTaskInView(view, task.id);
    if (!holds(now, attempt)) return null;
    const branch = ref.slice('refs/heads/'.length);
    const step = completeTask({ ...now, agent_id: by }, { ...done, branch, at: timestamp(context) });
    const accepted = [toAcceptedCommitsDecision(step.task, context.configDigest)];
    // Findings from when it was one of several.
    const verdict = view.snapshot.verdictsOn(tip).at(-1);
    const judged =
      step.task.tries === undefined || verdict === undefined ? [] : [applyVerdictToTask(step.task, verdict)];
    return {
      steps: [step, ...judged],
      refs: [{ ref, old, new: tip }],
      actor: by,
      accepted,
      ...(change === null ? {} : { notes: { changes: [change], subject: leftSubject(change, by) } }),
    };
  });
  onRecorded();
  if (recorded.kind === 'nothing') {
    await rescueSupersededAttempt(context, attempt, tip);
    return false;
  }
  for (const message of warnings) warn(context, message);
  if (recorded.kind !== 'ref-moved') return true;
  throw branchMovedError(ref.slice(11), `by another process while ${by} worked on ${task.id}`, [
    `git branch -D ${shellQuote(ref.slice(11))}`,
    'git flame run',
  ]);
}

function leftSubject({ task, add }: BlackboardPageChange, agent: AgentId): string {
  return `${task}: ${formatCount(add.length, 'note')} left for later tasks by ${agent}`;
}

/** Whether a task is still what an attempt claimed: who was given up meanwhile changes nothing any more. */
function holds(task: Task, { agent }: Pick<Attempt, 'agent'>): task is ClaimedTask {
  return task.status === 'claimed' && task.agent_id === agent;
}

/** Says that an attempt changes nothing any more, and keeps what it made. */
export async function rescueSupersededAttempt(
  context: RunContext,
  attempt: Attempt,
  tip: ObjectId | null,
): Promise<void> {
  const now = requireTaskInView(await viewSession(context, attempt.session), attempt.task.id);
  await rescueSupersededWork(context, attempt, { now, tip });
}

/** Gives a claim back: nothing was tried, so nothing is counted. */
export async function releaseClaimOfAttempt(
  context: RecordContext,
  { session, task, agent }: Attempt,
  why: unknown,
): Promise<void> {
  const said = why instanceof Error ? why.message : why;
  const reason = typeof said === 'string' ? said : 'the run was stopped';
  await recordUnderAnyLead(context, session, (view) => {
    const now = requireTaskInView(view, task.id);
    if (now.status !== 'claimed' || now.agent_id !== agent) return null;
    return { steps: [releaseTask(now, { reason, at: timestamp(context) })] };
  });
}

/** A worktree that stays is the person's to look into; where that can't be made so now, the next start tries again. */
export async function leaveWorktreeToPerson({ git }: WithGit<GitCells>, cell: CellWorktree): Promise<void> {
  // Its end is reported with its task.
  await git.markCellReported(cell);
  await git.handWorktreeToPerson(cell).catch((error: unknown) => {
    if (!(error instanceof FlameError)) throw error;
  });
}
