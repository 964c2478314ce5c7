import { basename } from 'node:path';
import { addRun } from '../core/schedule/budget-state.ts';
import { agentsOf } from '../core/task/several-attempts.ts';
import { roleAdapter } from '../domain/config/role-settings.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { AgentId, SessionId } from '../domain/ids.ts';
import type { CellInfo, EndNote, GitCells } from '../domain/ports/git-cells.ts';
import { landsOn } from '../domain/state/session-facts.ts';
import type { Task } from '../domain/state/task.ts';
import { shortId } from '../util/short-names.ts';
import { isInterrupted } from './graceful-stop.ts';
import { releaseEndedReservations } from './machines/reserve.ts';
import { passOnJudging } from './machines/verdict-claims.ts';
import { releaseExpiredClaims } from './manual/release.ts';
import { workerPolicy } from './post-check/worker-policy.ts';
import { preparedIn } from './prepare-worktree.ts';
import { type Recorder, record, viewSession } from './record.ts';
import { rescueName } from './retention/rescue-refs.ts';
import {
  isSavedElsewhere,
  type RemovalOutcome,
  rescueAndRemove,
  taskIn,
} from './retention/rescue-worktree.ts';
import { adoptLanded, advanceBase, requireLanded } from './review/adopt-landed.ts';
import { syncWorktrees } from './review/sync-worktrees.ts';
import type { RunContext, WithGit } from './run-context.ts';
import { judgeWork, removeEmptyCell } from './work/judge-work.ts';
import { orphanTest, releaseOrphans } from './work/release-orphans.ts';
import { settleAttempt } from './work/settle-attempt.ts';
import { recordAttempt } from './work/several-attempts.ts';

/**
 * Finishes what a kill left half done in a session: brings a checkout along, frees claims without an agent,
 * removes worktrees that hold nothing. Reports what it found. Harmless at any time, and when repeated. Throws FlameErrors
 * `base-behind`, `base-ahead` and `landing-not-there`.
 */
export async function recoverSession(context: RunContext, id: SessionId): Promise<void> {
  if (context.remoteSession?.role === 'lead') await context.landInTurn(() => adoptLanded(context, id));
  await requireLanded(context, id);
  if (context.remoteSession?.role === 'lead') await context.landInTurn(() => advanceBase(context, id));
  const { session } = await viewSession(context, id);
  if (session.checkout !== null && (await context.landInTurn(() => syncWorktrees(context, id)))) {
    notice(
      context,
      `The checkout of ${landsOn(session)} now shows what landed, at ${shortId(session.checkout.to)}.`,
    );
  }
  const collected = await collectEnded(context, id, await orphanTest(context));
  if (collected.length > 0)
    notice(context, `Work that agents had finished before the stop was accepted: ${collected.join(', ')}.`);
  const released = await releaseOrphans(context, id);
  if (released.length > 0) notice(context, `Claims of ended agents were released: ${released.join(', ')}.`);
  await releaseEndedReservations(context, id);
  await passOnJudging(context, id, true);
  await releaseExpiredClaims(context, id);
  await clearCells(context);
  await removeSettledWorktrees(context);
}

/** Removes worktrees of dead processes that hold nothing; the others stay, and are named once. */
async function clearCells(context: Pick<RunContext, 'events' | 'store'> & WithGit<GitCells>): Promise<void> {
  const kept: CellInfo[] = [];
  for (const cell of (await context.git.cells()).filter(({ owner }) => owner === 'gone')) {
    const isEmpty =
      cell.subject === null ||
      (await isSavedElsewhere(context, cell, await taskIn(context, cell)).catch(() => false));
    if (isEmpty) await context.git.discardCell(cell);
    else if (await context.git.isNews(cell)) kept.push(cell);
  }
  if (kept.length === 0) return;
  notice(
    context,
    `${kept.length} ${kept.length === 1 ? 'worktree holds' : 'worktrees hold'} work of ended agents and ${kept.length === 1 ? 'stays' : 'stay'}.`,
    kept.map(({ path }) => path),
  );
}

/**
 * Puts away worktrees of sessions that have ended where their task was merged or dropped all the same: earlier
 * attempts at it. Those of tasks that failed stay until a person cleans up.
 */
export async function removeSettledWorktrees(context: RunContext): Promise<void> {
  const snapshot = await context.store.snapshot();
  const ended = new Set(snapshot.sessions.filter(({ state }) => state === 'ended').map(({ id }) => id));
  for (const cell of await context.git.cells()) {
    if (cell.owner === 'alive' || cell.subject === null || !ended.has(cell.subject.session)) continue;
    const task = await taskIn(context, cell);
    if (task?.status !== 'merged' && task?.status !== 'dropped') continue;
    const why = `Its session has ended, and ${task.id} was ${task.status} without it.`;
    reportOutcome(context, cell, await rescueAndRemove(context, cell, { why, isRequested: false }));
  }
}

/** Says that worktrees of a session stay, where some do. */
export async function reportKeptWorktrees(
  context: Pick<RunContext, 'events'> & WithGit<GitCells>,
  id: SessionId,
): Promise<void> {
  const kept = (await context.git.cells()).filter(({ subject }) => subject?.session === id);
  if (kept.length === 0) return;
  const count =
    kept.length === 1 ? '1 worktree of this session is' : `${kept.length} worktrees of this session are`;
  notice(
    context,
    `${count} kept: git flame cleanup`,
    kept.map(({ path }) => path),
  );
}

function reportOutcome(
  context: Pick<RunContext, 'events'>,
  { path }: CellInfo,
  outcome: RemovalOutcome,
): void {
  if (outcome.kind === 'rescued')
    notice(
      context,
      `${path} was removed, its work is kept: git flame rescue show ${rescueName(outcome.ref)}`,
    );
  if (outcome.kind !== 'kept') return;
  const [first = '', ...more] = outcome.reasons;
  const others = more.length === 0 ? [] : [`and ${more.length} more`];
  notice(context, `${path} stays as it is.`, [first, ...others]);
}

function notice(context: Pick<RunContext, 'events'>, message: string, details: readonly string[] = []): void {
  context.events.emit({ event: 'notice', level: 'info', message, details });
}

type EndedCell = CellInfo & { readonly ended: EndNote };

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
    for (const agent of agentsOf(task)) {
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
    adapter: context.adapter(one?.adapter ?? roleAdapter(context.config, 'worker', task)),
    began: task.claimed_at === null ? null : Date.parse(task.claimed_at),
    path: cell.path,
  };
  const policy = await workerPolicy(context, {
    agentId: agent,
    worktree: cell.path,
    fileLocks: task.file_locks,
    start: cell.base,
    prepared: await preparedIn(context, cell),
  });
  await book(context, task.session, cell.ended);
  const { cost_usd, tokens } = run;
  const audit = await context.agents.auditOf(run.id);
  const outcome = { failure: null, text, notes, cost_usd, tokens, audit };
  try {
    const ending = await judgeWork(context, { attempt, cell, policy, outcome });
    if (ending.work === null) await removeEmptyCell(context, cell, task);
    // One of several is only recorded: those that are not over are made first.
    if (one === undefined) await settleAttempt(context, attempt, ending);
    else await recordAttempt(context, attempt, ending);
    return true;
  } catch (error) {
    // A broken worktree must not stop the session; the task is tried again.
    if (!(error instanceof FlameError) || isInterrupted(error)) throw error;
    const message = `The finished work of ${run.id} for ${task.id} can't be accepted: ${error.message}`;
    context.events.emit({ event: 'notice', level: 'warning', message });
    return false;
  }
}

/** The kill may have come before its cost was booked. */
async function book(context: Recorder, id: SessionId, { run }: EndNote): Promise<void> {
  await record(context, id, ({ session }) => {
    const isFree = run.model === null && run.cost_usd === 0;
    const known = session.agents.find(({ id }) => id === run.id);
    // One that was noted as killed had spent a little more than was heard of it then.
    const rest = {
      ...run,
      cost_usd: Math.max(0, run.cost_usd - (known?.cost_usd ?? 0)),
      tokens: Math.max(0, run.tokens - (known?.tokens ?? 0)),
    };
    if (isFree || (known !== undefined && known.outcome !== 'killed')) return null;
    return { session: { next: addRun(session, rest), subject: `session: ${run.id} ${run.outcome}` } };
  });
}
