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
import { isInterrupted } from './interrupted.ts';
import { giveBack } from './machines/reserve.ts';
import { passOnJudging } from './machines/verdict-claims.ts';
import { freeExpired } from './manual/release.ts';
import { workerPolicy } from './post-check/worker-policy.ts';
import { preparedIn } from './prepare-worktree.ts';
import { type Recorder, record, viewSession } from './record.ts';
import { rescueName } from './retention/rescue-refs.ts';
import { isElsewhere, type PutAway, putAway, taskIn } from './retention/rescue-worktree.ts';
import { adoptLanded, bringForward, requireLanded } from './review/adopt-landed.ts';
import { bringAlong } from './review/sync-worktrees.ts';
import type { WithGit, Workshop } from './run-context.ts';
import { discardUntouched, judgeWork } from './work/judge-work.ts';
import { orphanTest, releaseOrphans } from './work/release-orphans.ts';
import { settleAttempt } from './work/settle-attempt.ts';
import { recordTry } from './work/tries.ts';

/**
 * Finishes what a kill left half done in a session: brings a checkout along, frees claims without an agent,
 * removes worktrees that hold nothing. Reports what it found. Harmless at any time, and when repeated. Throws FlameErrors
 * `base-behind`, `base-ahead` and `landing-not-there`.
 */
export async function recoverSession(workshop: Workshop, id: SessionId): Promise<void> {
  if (workshop.sharing?.role === 'lead') await workshop.landInTurn(() => adoptLanded(workshop, id));
  await requireLanded(workshop, id);
  if (workshop.sharing?.role === 'lead') await workshop.landInTurn(() => bringForward(workshop, id));
  const { session } = await viewSession(workshop, id);
  if (session.checkout !== null && (await workshop.landInTurn(() => bringAlong(workshop, id)))) {
    notice(workshop, `${landsOn(session)} is checked out as it landed, at ${shortId(session.checkout.to)}.`);
  }
  const collected = await collectEnded(workshop, id, await orphanTest(workshop));
  if (collected.length > 0)
    notice(workshop, `What agents had finished before the stop was taken in: ${collected.join(', ')}.`);
  const released = await releaseOrphans(workshop, id);
  if (released.length > 0)
    notice(workshop, `Claims whose agents are gone are free again: ${released.join(', ')}.`);
  await giveBack(workshop, id);
  await passOnJudging(workshop, id, true);
  await freeExpired(workshop, id);
  await clearCells(workshop);
  await putAwaySettled(workshop);
}

/** Removes worktrees of dead processes that hold nothing; the others stay, and are named once. */
async function clearCells(workshop: Pick<Workshop, 'events' | 'store'> & WithGit<GitCells>): Promise<void> {
  const kept: CellInfo[] = [];
  for (const cell of (await workshop.git.cells()).filter(({ owner }) => owner === 'gone')) {
    const isEmpty =
      cell.subject === null ||
      (await isElsewhere(workshop, cell, await taskIn(workshop, cell)).catch(() => false));
    if (isEmpty) await workshop.git.discardCell(cell);
    else if (await workshop.git.isNews(cell)) kept.push(cell);
  }
  if (kept.length === 0) return;
  notice(
    workshop,
    `${kept.length} ${kept.length === 1 ? 'worktree holds' : 'worktrees hold'} work of agents that are gone, and ${kept.length === 1 ? 'stays' : 'stay'}.`,
    kept.map(({ path }) => path),
  );
}

/**
 * Puts away worktrees of sessions that have ended where their task was merged or dropped all the same: earlier
 * attempts at it. Those of tasks that failed stay until a person cleans up.
 */
export async function putAwaySettled(workshop: Workshop): Promise<void> {
  const snapshot = await workshop.store.snapshot();
  const ended = new Set(snapshot.sessions.filter(({ state }) => state === 'ended').map(({ id }) => id));
  for (const cell of await workshop.git.cells()) {
    if (cell.owner === 'alive' || cell.subject === null || !ended.has(cell.subject.session)) continue;
    const task = await taskIn(workshop, cell);
    if (task?.status !== 'merged' && task?.status !== 'dropped') continue;
    const why = `Its session has ended, and ${task.id} was ${task.status} without it.`;
    tell(workshop, cell, await putAway(workshop, cell, { why, isAsked: false }));
  }
}

/** Says that worktrees of a session stay, where some do. */
export async function tellKept(
  workshop: Pick<Workshop, 'events'> & WithGit<GitCells>,
  id: SessionId,
): Promise<void> {
  const kept = (await workshop.git.cells()).filter(({ subject }) => subject?.session === id);
  if (kept.length === 0) return;
  const count =
    kept.length === 1 ? '1 worktree of this session is' : `${kept.length} worktrees of this session are`;
  notice(
    workshop,
    `${count} kept: git flame cleanup`,
    kept.map(({ path }) => path),
  );
}

function tell(workshop: Pick<Workshop, 'events'>, { path }: CellInfo, outcome: PutAway): void {
  if (outcome.kind === 'rescued')
    notice(workshop, `${path} was put away: git flame rescue show ${rescueName(outcome.ref)}`);
  if (outcome.kind !== 'kept') return;
  const [first = '', ...more] = outcome.reasons;
  const others = more.length === 0 ? [] : [`and ${more.length} more`];
  notice(workshop, `${path} stays as it is.`, [first, ...others]);
}

function notice(workshop: Pick<Workshop, 'events'>, message: string, details: readonly string[] = []): void {
  workshop.events.emit({ event: 'notice', level: 'info', message, details });
}

type EndedCell = CellInfo & { readonly ended: EndNote };

/**
 * Takes in what agents had finished when their process was killed: finished work is not paid for twice. It is
 * judged like any other, on its git objects and by the current configuration. `isOrphan` says whether a claim
 * has no live owner. Returns the tasks.
 */
async function collectEnded(
  workshop: Workshop,
  id: SessionId,
  isOrphan: (task: Task) => boolean,
): Promise<readonly string[]> {
  const { tasks } = await viewSession(workshop, id);
  const cells = (await workshop.git.cells()).filter(
    (cell): cell is EndedCell => cell.owner === 'gone' && cell.ended !== null && cell.subject?.session === id,
  );
  const collected: string[] = [];
  for (const task of tasks.filter(isOrphan)) {
    for (const agent of agentsOf(task)) {
      const cell = cells.find(({ path, ended }) => basename(path) === agent && ended.run.id === agent);
      if (cell === undefined) continue;
      if (await collect(workshop, { task, agent }, cell)) collected.push(task.id);
    }
  }
  return [...new Set(collected)];
}

async function collect(
  workshop: Workshop,
  { task, agent }: { readonly task: Task; readonly agent: AgentId },
  cell: EndedCell,
): Promise<boolean> {
  const { run, text, notes } = cell.ended;
  const one = task.tries?.find(({ agent_id }) => agent_id === agent);
  const attempt = {
    session: task.session,
    task,
    agent,
    adapter: workshop.adapter(one?.adapter ?? roleAdapter(workshop.config, 'worker', task)),
    began: task.claimed_at === null ? null : Date.parse(task.claimed_at),
    path: cell.path,
  };
  const policy = await workerPolicy(workshop, {
    agentId: agent,
    worktree: cell.path,
    fileLocks: task.file_locks,
    start: cell.base,
    prepared: await preparedIn(workshop, cell),
  });
  await book(workshop, task.session, cell.ended);
  const { cost_usd, tokens } = run;
  const audit = await workshop.agents.auditOf(run.id);
  const outcome = { failure: null, text, notes, cost_usd, tokens, audit };
  try {
    const ending = await judgeWork(workshop, { attempt, cell, policy, outcome });
    if (ending.work === null) await discardUntouched(workshop, cell, task);
    // One of several is only recorded: those that are not over are made first.
    if (one === undefined) await settleAttempt(workshop, attempt, ending);
    else await recordTry(workshop, attempt, ending);
    return true;
  } catch (error) {
    // A broken worktree must not stop the session; the task is tried again.
    if (!(error instanceof FlameError) || isInterrupted(error)) throw error;
    const message = `What ${run.id} had finished for ${task.id} can't be taken in: ${error.message}`;
    workshop.events.emit({ event: 'notice', level: 'warning', message });
    return false;
  }
}

/** The kill may have come before its cost was booked. */
async function book(workshop: Recorder, id: SessionId, { run }: EndNote): Promise<void> {
  await record(workshop, id, ({ session }) => {
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
