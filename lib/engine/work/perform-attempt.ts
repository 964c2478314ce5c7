import type { AgentPolicy } from '../../domain/agent-policy.ts';
import type { Failure } from '../../domain/failure.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { agentIdentity, type ObjectId } from '../../domain/ids.ts';
import type { CellWorktree, GitCells } from '../../domain/ports/git-cells.ts';
import type { GitCommits, GitMerging } from '../../domain/ports/git-commits.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { BuiltOn, Task } from '../../domain/state/task-schema.ts';
import { shortId } from '../../util/short-names.ts';
import { runAgent } from '../agents/run-agent.ts';
import { findIssueAsScriptFailure } from '../issue-for-script.ts';
import { describeViolation, findViolationsInCommits } from '../post-check/judge-commits.ts';
import { compileWorkerPolicy } from '../post-check/worker-policy.ts';
import {
  listPreparedPathsWithOrigin,
  listSparsePatternsForLocks,
  prepareWorktree,
  runTeardownCommands,
} from '../prepare-worktree.ts';
import { keepCommitAsRescue, rescueName } from '../retention/rescue-refs.ts';
import { rulesOfUnfinishedWork } from '../retention/rescue-worktree.ts';
import { type RunContext, type WithGit, warn, warnOnce } from '../run-context.ts';
import { rebaseWorkOnto } from '../stacking/rebase-stacked.ts';
import { mergeCommitOnto, readBaseTip, startCommitSubject } from '../start-point.ts';
import type { StartedAttempt } from './claim-for-agent.ts';
import { renderFinalObjections } from './final-objections.ts';
import { judgeAgentWork, makeFailedEnding, removeEmptyCell } from './judge-agent-work.ts';
import { type Attempt, type AttemptEnding, leaveWorktreeToPerson } from './record-attempt-ending.ts';
import type { AttemptProgress } from './running-attempts.ts';
import { makeWorkerPromptData } from './worker-prompt.ts';

/** Start of a claimed task's work, and what is called once its agent is over. */
interface AttemptContext extends StartedAttempt, Pick<AttemptProgress, 'onAgentOver'> {}

/** One agent in a worktree of its own, from its start to what the post-check says of its work. */
export async function runAgentForAttempt(
  context: RunContext,
  attempt: Attempt,
  { view, start, refusal, onAgentOver }: AttemptContext,
): Promise<AttemptEnding> {
  const { task } = attempt;
  const script = findIssueAsScriptFailure(context, task);
  if (script !== null) return makeFailedEnding(script);
  if (start.kind === 'conflict') {
    const message = `The work of its dependencies conflicts: ${start.with} in ${start.paths.join(', ')}`;
    return makeFailedEnding({ kind: 'conflict', message, details: start.paths, retryable: false });
  }
  if (refusal !== null) return makeFailedEnding(refusal);
  const from = await keptStart(context, view.session, task, start.commit);
  const subject = { session: attempt.session, task: task.id };
  // Locks of its dependencies are in it as well.
  const needed = view.tasks.filter(({ id }) => task.dependencies.includes(id));
  const sparse = await listSparsePatternsForLocks(
    context,
    [task, ...needed].flatMap(({ file_locks: locks }) => locks),
  );
  const cell = await context.git.addCellWorktree(attempt.path, from, subject, start.commit, sparse);
  let [isAccepted, mustStay] = [false, false];
  try {
    const ending = await workIn(context, attempt, {
      cell,
      onLost: () => {
        mustStay = true;
      },
      view,
      builtOn: start.builtOn,
      onAgentOver,
    });
    isAccepted = ending.work !== null;
    return ending;
  } finally {
    if (mustStay && !isAccepted) await leaveWorktreeToPerson(context, cell);
    else if (!isAccepted) await removeEmptyCell(context, cell, task);
  }
}

interface WorkPlace extends Pick<AttemptContext, 'onAgentOver' | 'view'> {
  readonly cell: CellWorktree;
  /** Its worktree is all that has some of its commits. */
  onLost(): void;
  readonly builtOn: BuiltOn;
}

async function workIn(
  context: RunContext,
  attempt: Attempt,
  { cell, view, builtOn, onAgentOver, onLost }: WorkPlace,
): Promise<AttemptEnding> {
  const { task, agent, adapter, session } = attempt;
  // A start on work that has not landed runs an agent's code during setup.
  const base = await readBaseTip(context, view.session);
  const prepared = await prepareWorktree(context, cell, {
    about: task.id,
    ...(cell.start === base ? {} : { basedOn: base }),
  });
  if (prepared.failure !== null) {
    // No agent was there: remains of the setup are no agent's work.
    await context.git.discardCell(cell);
    return makeFailedEnding(prepared.failure);
  }
  const policy = await compileWorkerPolicy(context, {
    agentId: agent,
    worktree: cell.path,
    fileLocks: task.file_locks,
    start: cell.base,
    prepared: await listPreparedPathsWithOrigin(context, cell),
  });
  const outcome = await runAgent(context, {
    id: agent,
    session,
    role: 'worker',
    adapter: adapter.name,
    task,
    cell,
    policy,
    isReadOnly: false,
    lastWord: (words, signal) => renderFinalObjections(context, { attempt, cell, policy, signal }, words),
    prompt: await makeWorkerPromptData(context, view, task, {
      policy,
      base: cell.base,
      builtOn,
      isKept: cell.start !== cell.base,
    }),
  });
  onAgentOver();
  const isRemoved = await context.git.restoreWorktree(cell);
  const lost = await rescueLostCommits(context, attempt, { cell, policy });
  if (lost.mustStay) onLost();
  const ended = isRemoved ? { ...outcome, failure: await worktreeRemoved(context, cell) } : outcome;
  const ending = await judgeAgentWork(context, { attempt, cell, policy, outcome: ended });
  // Work that was not accepted stays as its agent left it.
  if (ending.work !== null && !lost.mustStay) await runTeardownCommands(context, cell, task.id);
  return withLostCommits(ending, lost, cell);
}

/** Failure for a removed worktree: uncommitted work is lost, so the work is not whole, even if its agent ended well. */
async function worktreeRemoved({ git }: WithGit<GitCells>, cell: CellWorktree): Promise<Failure> {
  const hasCommits = (await git.cellHead(cell)) !== cell.start;
  return {
    kind: 'agent-error',
    message: 'Its worktree was removed while it worked.',
    details: [hasCommits ? `What it had committed was restored in ${cell.path}.` : 'It had committed nothing.'],
    retryable: true,
  };
}

/**
 * Finds where an attempt starts: at `base`, or with work of an earlier attempt that a person kept, rebased onto it.
 * Work that can't be rebased is reported and redone from the base; its branch still has it.
 */
async function keptStart(
  context: Pick<RunContext, 'events' | 'run'> & WithGit<GitCommits & GitMerging>,
  session: Session,
  task: Task,
  base: ObjectId,
): Promise<ObjectId> {
  const { kept } = task;
  if (kept === undefined) return base;
  const branch = findLandingBranch(session);
  const startFromBase = (why: string): ObjectId => {
    const message = `${task.id} starts from ${branch}, not from its kept attempt: ${why}.`;
    warnOnce(context, message, { details: [`git flame show ${task.id}`] });
    return base;
  };
  if ((await context.git.resolveCommit(kept.commit)) === null) return startFromBase('its commit is not in this clone');
  // Its own start may have been removed from the base since: only its own changes are brought along then.
  const isOnBase = await context.git.isAncestor(kept.start, base);
  const moved = isOnBase
    ? await mergeCommitOnto(
        context,
        base,
        kept.commit,
        `${startCommitSubject(task.id)} its earlier attempt on ${branch}`,
      )
    : await rebaseWorkOnto(context.git, kept, base);
  if (moved.kind !== 'conflict') return moved.commit;
  return startFromBase(`it conflicts with ${branch} in ${moved.paths.join(', ')}`);
}

interface LostCommitReport {
  /** Result for each commit the agent left again, in words. */
  readonly reports: readonly string[];
  /** Some of them may not enter the repository: its worktree and quarantine are all that has them. */
  readonly mustStay: boolean;
}

/**
 * Keeps what an agent had committed and left again as rescues, by the rules of a rescue made unasked: what breaks
 * the rules of its task stays in the quarantine.
 */
async function rescueLostCommits(
  context: RunContext,
  { session, task, agent, began }: Attempt,
  { cell, policy }: { readonly cell: CellWorktree; readonly policy: AgentPolicy },
): Promise<LostCommitReport> {
  const reports: string[] = [];
  let mustStay = false;
  for (const { commit, subject } of await lostOf(context, cell)) {
    const violations = await findViolationsInCommits(context, {
      start: cell.base,
      tip: commit,
      quarantine: cell.quarantine,
      policy,
      ours: [],
      signer: { identity: agentIdentity(agent), began, now: context.now().getTime() },
    });
    const against = violations.filter(({ rule }) => !rulesOfUnfinishedWork.some((one) => one === rule));
    const name = `${shortId(commit)} ${JSON.stringify(subject)}`;
    const [first] = against;
    if (first === undefined) {
      await context.git.importCell(cell, commit);
      const ref = await keepCommitAsRescue(context, { session, task: task.id }, commit);
      reports.push(`It committed ${name} and then dropped it. That is kept as the rescue ${rescueName(ref)}`);
    } else {
      mustStay = true;
      reports.push(
        `It committed ${name} and then dropped it. That stays in ${cell.path}, because ${describeViolation(first)}`,
      );
    }
  }
  for (const message of reports) warn(context, `${task.id}: ${message}`);
  return { reports, mustStay };
}

async function lostOf(
  { git }: Pick<RunContext, 'git'>,
  cell: CellWorktree,
): ReturnType<RunContext['git']['listAbandonedCommits']> {
  try {
    return await git.listAbandonedCommits(cell);
  } catch (error) {
    // Unreadable commits are reported with the rest of its work.
    if (error instanceof FlameError && error.code.startsWith('cell-')) return [];
    throw error;
  }
}

/** Adds the results for those commits to an ending. */
function withLostCommits(
  ending: AttemptEnding,
  { reports, mustStay }: LostCommitReport,
  { path }: CellWorktree,
): AttemptEnding {
  if (reports.length === 0) return ending;
  const { failure, work } = ending;
  return {
    ...ending,
    failure: failure === null ? null : { ...failure, details: [...reports, ...failure.details] },
    work: work === null || !mustStay ? work : { ...work, leftBehind: [...work.leftBehind, path] },
    notes: [ending.notes, ...reports].filter(Boolean).join('\n'),
  };
}
