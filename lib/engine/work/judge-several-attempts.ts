import { limitAttemptsByBudget } from '../../core/schedule/pauses-and-limits.ts';
import {
  recordAttemptFindings,
  skipAttempt,
  toAttemptFindings,
  unendedAttemptResult,
} from '../../core/task/attempt-records.ts';
import { freeEntry } from '../../core/task/task-history.ts';
import { findRoleAdapter, findRoleModel, readRoleBudget } from '../../domain/config/role-adapter-and-model.ts';
import type { SessionId } from '../../domain/ids.ts';
import { adapterTalksToModel } from '../../domain/ports/adapter.ts';
import type { AttemptRecord } from '../../domain/state/attempt-record.ts';
import type { Spending } from '../../domain/state/spending.ts';
import { expandTaskAttempts } from '../../domain/state/task-facts.ts';
import type { Task, TaskWithAcceptedWork } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { formatCount } from '../../util/format-figures.ts';
import { forEachConcurrently } from '../../util/pacing.ts';
import { checkLiveBudget } from '../agents/session-budget.ts';
import { isJoinedMachine } from '../machines/held-elsewhere.ts';
import { findRulesBrokenByTask } from '../post-check/judge-commits.ts';
import { decideAndRecord, reportVerdict, requireTaskInView, viewSession } from '../record-changes.ts';
import { type RunContext, warn } from '../run-context.ts';
import { areCommitsHere } from '../start-point.ts';
import { runPreValidationScript } from '../validate/obtain-verdict.ts';
import { diagnoseCommit, filterFailedDiagnostics } from '../validate/run-diagnostics.ts';
import { validateTask } from '../validate/validate-task.ts';

/** Each attempt that is asked for: as it ended before, or by whom it is made now, as far as the budget goes. */
export async function makeAttemptRecords(context: RunContext, task: Task): Promise<readonly AttemptRecord[]> {
  const { config } = context;
  const tries: AttemptRecord[] = [];
  for (const [at, one] of expandTaskAttempts(task).entries()) {
    const known = task.tries?.[at];
    if (known !== undefined && known.ended !== null && (await doesAttemptCountHere(context, task, known))) {
      tries.push(await withTrustedFindings(context, task, known));
      continue;
    }
    const adapter = findRoleAdapter(config, 'worker', one);
    const model = adapterTalksToModel(context.adapter(adapter)) ? findRoleModel(config, 'worker', one) : null;
    tries.push({ agent_id: context.newAgentId('worker'), adapter, model, ...unendedAttemptResult });
  }
  const paid = tries.filter(({ ended, model }) => ended === null && model !== null);
  const fitting = limitAttemptsByBudget(paid.length, await roomFor(context, task.session));
  const left = new Set(paid.slice(fitting));
  if (left.size === 0) return tries;
  const message = `${task.id}: ${formatCount(paid.length, 'attempt')} could spend more than is left of the session's budget, so it makes ${fitting}.`;
  warn(context, message);
  return tries.map((one) => (left.has(one) ? skipAttempt(one, 'The budget is too small for it.') : one));
}

async function roomFor(
  context: RunContext,
  id: SessionId,
): Promise<{ readonly left: number | null; readonly each: number }> {
  const { session } = await viewSession(context, id);
  const own = readRoleBudget(context.config, 'worker');
  const { limit, spent, unit } = checkLiveBudget(context, session);
  const inUnit = (one: Spending): number => (unit === 'usd' ? one.cost_usd : one.tokens);
  const aside = (session.reservations ?? []).reduce((sum, one) => sum + inUnit(one), 0);
  return { left: limit === 0 || own.unit !== unit ? null : limit - spent - aside, each: own.limit };
}

/**
 * Whether an attempt counts in this clone as its task's note says it ended. Work counts once the post-check has judged it
 * here, so what another clone wrote is judged like what it handed in; work that is not here can't be.
 */
export async function doesAttemptCountHere(context: RunContext, task: Task, one: AttemptRecord): Promise<boolean> {
  const worked = workedBy(task, one);
  if (worked === null) return true;
  const ends = [worked.commit, worked.start_commit, ...(one.work?.from === undefined ? [] : [one.work.from])];
  return (await areCommitsHere(context.git, ends)) && (await findRulesBrokenByTask(context, worked)).length === 0;
}

/** Adds to an attempt the findings of those verdicts on its work that count here, and no others. */
export async function withTrustedFindings(context: RunContext, task: Task, one: AttemptRecord): Promise<AttemptRecord> {
  const { failing: _, verdict: __, ...rest } = one;
  if (one.work === undefined) return rest;
  const { snapshot } = await viewSession(context, task.session);
  const verdict = snapshot
    .verdictsOn(one.work.commit)
    .findLast((found) => found.session === task.session && found.task === task.id);
  return verdict === undefined ? rest : { ...rest, ...toAttemptFindings(verdict) };
}

/**
 * Finds out about the work of several attempts what decides between them: the diagnostics, then a verdict, each recorded
 * as it is found. One alone is judged like any work, later. A machine that joined runs the diagnostics alone: its own
 * work is not its to judge.
 */
export async function checkAttemptsToChoose(context: RunContext, session: SessionId, id: Task['id']): Promise<void> {
  const task = requireTaskInView(await viewSession(context, session), id);
  const made = (task.tries ?? []).filter(({ work }) => work !== undefined);
  if (made.length < 2) return;
  const open = made.filter(({ failing, verdict }) => failing === undefined && verdict === undefined);
  await runPreValidationScript(context, session, open.length === 0 ? [] : [task]);
  await forEachConcurrently(open, context.config.concurrency.validation, async (one) => {
    if (context.signal.aborted) return;
    await (isJoinedMachine(context) ? check(context, task, one) : judge(context, task, one));
  });
}

async function check(context: RunContext, task: Task, one: AttemptRecord): Promise<void> {
  if (one.work === undefined) return;
  const { session } = await viewSession(context, task.session);
  const runs = await diagnoseCommit(context, one.work.commit, session.base_commit, {
    session: session.id,
    words: task.id,
  });
  await note(context, task, one, { failing: filterFailedDiagnostics(runs).map(({ command }) => command) });
}

/** A validator that gives no verdict decides nothing; where its work is taken all the same, it is judged again. */
async function judge(context: RunContext, task: Task, one: AttemptRecord): Promise<void> {
  const worked = workedBy(task, one);
  if (worked === null) return;
  // A kill may have come between the verdict and what is noted of it: both move together, so there is none then.
  const judgement = await validateTask(context, task.session, worked);
  if (judgement.kind === 'verdict')
    return note(context, task, one, toAttemptFindings(judgement.verdict), judgement.verdict);
  const failing = filterFailedDiagnostics(judgement.diagnostics).map(({ command }) => command);
  warn(context, `${task.id}: no verdict on the attempt by ${one.agent_id}: ${judgement.reason}`);
  await note(context, task, one, { failing });
}

/** The task as it were if this attempt's work were its own. */
function workedBy(task: Task, { agent_id, work, notes }: AttemptRecord): TaskWithAcceptedWork | null {
  if (work === undefined) return null;
  const { commit, start } = work;
  const entry = {
    ...freeEntry,
    attempt: 0,
    agent_id,
    timestamp: task.updated_at,
    result: 'done',
    notes,
  };
  return {
    ...task,
    status: 'done',
    agent_id,
    commit,
    start_commit: start,
    branch: '',
    kept: work.from === undefined ? undefined : { commit: work.from, start },
    history: [...task.history, entry],
  };
}

async function note(
  context: RunContext,
  task: Task,
  { agent_id: agent }: AttemptRecord,
  found: Pick<AttemptRecord, 'failing' | 'verdict'>,
  verdict?: Verdict,
): Promise<void> {
  const recorded = await decideAndRecord(context, task.session, (view) => {
    const now = requireTaskInView(view, task.id);
    if (now.status !== 'claimed' || now.agent_id !== task.agent_id) return null;
    return {
      steps: [recordAttemptFindings(now, agent, found)],
      ...(verdict === undefined ? {} : { verdict, actor: verdict.by }),
    };
  });
  if (recorded.kind === 'done' && verdict !== undefined) reportVerdict(context, verdict);
}
