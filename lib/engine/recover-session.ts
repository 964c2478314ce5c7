import { basename } from 'node:path';
import { addAgentRunCost } from '../core/schedule/budget-state.ts';
import { listRunningAgentsOfTask } from '../core/task/attempt-records.ts';
import { findRoleAdapter } from '../domain/config/role-adapter-and-model.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { AgentId, SessionId } from '../domain/ids.ts';
import type { AgentEndNote, CellInfo, GitCells } from '../domain/ports/git-cells.ts';
import { findLandingBranch } from '../domain/state/session-facts.ts';
import type { Task } from '../domain/state/task-schema.ts';
import { shortId } from '../util/short-names.ts';
import { isInterrupted } from './graceful-stop.ts';
import { releaseOwnHoldings } from './machines/release-holdings.ts';
import { releaseExpiredClaims } from './manual/release-by-hand.ts';
import { compileWorkerPolicy } from './post-check/worker-policy.ts';
import { listPreparedPathsWithOrigin } from './prepare-worktree.ts';
import { decideAndRecord, type RecordContext, viewSession } from './record-changes.ts';
import { rescueName } from './retention/rescue-refs.ts';
import {
  findTaskOfWorktree,
  isWorktreeSavedElsewhere,
  rescueAndRemoveWorktree,
  type WorktreeRemovalOutcome,
} from './retention/rescue-worktree.ts';
import { alignBaseWithRemote } from './review/adopt-remote-landing.ts';
import { syncWorktreesToLanding } from './review/sync-worktrees.ts';
import { inform, type RunContext, type WithGit, warn } from './run-context.ts';
import { judgeAgentWork, removeEmptyCell } from './work/judge-agent-work.ts';
import { recordAttemptEnding } from './work/record-attempt-ending.ts';
import { recordOneOfSeveralAttempts } from './work/record-one-attempt.ts';
import { makeOrphanedClaimTest, releaseOrphanedClaims } from './work/release-orphans.ts';

/**
 * Finishes what a kill left half done in a session: brings a checkout along, frees claims without an agent,
 * removes worktrees that hold nothing. Reports what it found. Harmless at any time, and when repeated. Throws FlameErrors
 * `base-behind`, `base-ahead` and `landing-not-there`.
 */
export async function recoverSession(context: RunContext, id: SessionId): Promise<void> {
  await alignBaseWithRemote(context, id);
  const { session } = await viewSession(context, id);
  if (session.checkout !== null && (await context.landInTurn(() => syncWorktreesToLanding(context, id)))) {
    inform(
      context,
      `The checkout of ${findLandingBranch(session)} now shows what landed, at ${shortId(session.checkout.to)}.`,
    );
  }
  const collected = await collectEnded(context, id, await makeOrphanedClaimTest(context));
  if (collected.length > 0)
    inform(context, `Work that agents had finished before the stop was accepted: ${collected.join(', ')}.`);
  const released = await releaseOrphanedClaims(context, id);
  if (released.length > 0) inform(context, `Claims of ended agents were released: ${released.join(', ')}.`);
  await releaseOwnHoldings(context, id, { reason: 'its run has ended', isOver: ({ status }) => status === 'done' });
  await releaseExpiredClaims(context, id);
  await clearCells(context);
  await removeLeftoverWorktrees(context);
}

/** Removes worktrees of dead processes that hold nothing; the others stay, and are named once. */
async function clearCells(context: Pick<RunContext, 'events' | 'store'> & WithGit<GitCells>): Promise<void> {
  const kept: CellInfo[] = [];
  for (const cell of (await context.git.cells()).filter(({ owner }) => owner === 'gone')) {
    const isEmpty =
      cell.subject === null ||
      (await isWorktreeSavedElsewhere(context, cell, await findTaskOfWorktree(context, cell)).catch(() => false));
    if (isEmpty) await context.git.discardCell(cell);
    else if (await context.git.markCellReported(cell)) kept.push(cell);
  }
  if (kept.length === 0) return;
  inform(
    context,
    `${kept.length} ${kept.length === 1 ? 'worktree holds' : 'worktrees hold'} work of ended agents and ${kept.length === 1 ? 'stays' : 'stay'}.`,
    kept.map(({ path }) => path),
  );
}

/**
 * Puts away worktrees of sessions that have ended where their task was merged or dropped all the same: earlier
 * attempts at it. Those of tasks that failed stay until a person cleans up.
 */
export async function removeLeftoverWorktrees(context: RunContext): Promise<void> {
  const snapshot = await context.store.snapshot();
  const ended = new Set(snapshot.sessions.filter(({ state }) => state === 'ended').map(({ id }) => id));
  for (const cell of await context.git.cells()) {
    if (cell.owner === 'alive' || cell.subject === null || !ended.has(cell.subject.session)) continue;
    const task = await findTaskOfWorktree(context, cell);
    if (task?.status !== 'merged' && task?.status !== 'dropped') continue;
    const why = `Its session has ended, and ${task.id} was ${task.status} without it.`;
    reportOutcome(context, cell, await rescueAndRemoveWorktree(context, cell, { why, isRequested: false }));
  }
}

/** Says that worktrees of a session stay, where some do. */
export async function reportKeptWorktrees(
  context: Pick<RunContext, 'events'> & WithGit<GitCells>,
  id: SessionId,
): Promise<void> {
  const kept = (await context.git.cells()).filter(({ subject }) => subject?.session === id);
  if (kept.length === 0) return;
  const count = kept.length === 1 ? '1 worktree of this session is' : `${kept.length} worktrees of this session are`;
  inform(
    context,
    `${count} kept: git flame cleanup`,
    kept.map(({ path }) => path),
  );
}

function reportOutcome(context: Pick<RunContext, 'events'>, { path }: CellInfo, outcome: WorktreeRemovalOutcome): void {
  if (outcome.kind === 'rescued')
    inform(context, `${path} was removed, its work is kept: git flame rescue show ${rescueName(outcome.ref)}`);
  if (outcome.kind !== 'kept') return;
  const [first = '', ...more] = outcome.reasons;
  const others = more.length === 0 ? [] : [`and ${more.length} more`];
  inform(context, `${path} stays as it is.`, [first, ...others]);
}

type EndedCell = CellInfo & { readonly ended: AgentEndNote };

/**
 * Takes in what agents had finished when their process was killed: finished work is not paid for twice. It is
 * judged like any other, on its git objects and by the current configuration. `isOrphan` says whether a claim
 * has no live owner. Returns the tasks.
 */
async function collectEnded(
  context: RunContext,
  id: SessionId,
  isOrphan: (task: Task) => boolean,
): Promise<readonly string[]> {
  const { tasks } = await viewSession(context, id);
  const cells = (await context.git.cells()).filter(
    (cell): cell is EndedCell => cell.owner === 'gone' && cell.ended !== null && cell.subject?.session === id,
  );
  const collected: string[] = [];
  for (const task of tasks.filter(isOrphan)) {
    for (const agent of listRunningAgentsOfTask(task)) {
      const cell = cells.find(({ path, ended }) => basename(path) === agent && ended.run.id === agent);
      if (cell === undefined) continue;
      if (await collect(context, { task, agent }, cell)) collected.push(task.id);
    }
  }
  return [...new Set(collected)];
}

async function collect(
  context: RunContext,
  { task, agent }: { readonly task: Task; readonly agent: AgentId },
  cell: EndedCell,
): Promise<boolean> {
  const { run, text, notes } = cell.ended;
  const one = task.tries?.find(({ agent_id }) => agent_id === agent);
  const attempt = {
    session: task.session,
    task,
    agent,
    adapter: context.adapter(one?.adapter ?? findRoleAdapter(context.config, 'worker', task)),
    began: task.claimed_at === null ? null : Date.parse(task.claimed_at),
    path: cell.path,
  };
  const policy = await compileWorkerPolicy(context, {
    agentId: agent,
    worktree: cell.path,
    fileLocks: task.file_locks,
    start: cell.base,
    prepared: await listPreparedPathsWithOrigin(context, cell),
  });
  await book(context, task.session, cell.ended);
  const { cost_usd, tokens } = run;
  const audit = await context.agents.auditOf(run.id);
  const outcome = { failure: null, text, notes, cost_usd, tokens, audit };
  try {
    const ending = await judgeAgentWork(context, { attempt, cell, policy, outcome });
    if (ending.work === null) await removeEmptyCell(context, cell, task);
    // One of several is only recorded: those that are not over are made first.
    if (one === undefined) await recordAttemptEnding(context, attempt, ending);
    else await recordOneOfSeveralAttempts(context, attempt, ending);
    return true;
  } catch (error) {
    // A broken worktree must not stop the session; the task is tried again.
    if (!(error instanceof FlameError) || isInterrupted(error)) throw error;
    const message = `The finished work of ${run.id} for ${task.id} can't be accepted: ${error.message}`;
    warn(context, message);
    return false;
  }
}

/** The kill may have come before its cost was booked. */
async function book(context: RecordContext, id: SessionId, { run }: AgentEndNote): Promise<void> {
  await decideAndRecord(context, id, ({ session }) => {
    const isFree = run.model === null && run.cost_usd === 0;
    const known = session.agents.find(({ id }) => id === run.id);
    // One that was noted as killed had spent a little more than was heard of it then.
    const rest = {
      ...run,
      cost_usd: Math.max(0, run.cost_usd - (known?.cost_usd ?? 0)),
      tokens: Math.max(0, run.tokens - (known?.tokens ?? 0)),
    };
    if (isFree || (known !== undefined && known.outcome !== 'killed')) return null;
    return {
      session: { next: addAgentRunCost(session, rest), subject: `session: ${run.id} ${run.outcome}` },
    };
  });
}
