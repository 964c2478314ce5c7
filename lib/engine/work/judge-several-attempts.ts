import { toAcceptedCommitsDecision } from '../../core/admission/make-decisions.ts';
import { limitAttemptsByBudget } from '../../core/schedule/pauses-and-limits.ts';
import {
  type AttemptResult,
  listRunningAgentsOfTask,
  recordAttemptFindings,
  recordAttemptResult,
  skipAttempt,
  toAttemptFindings,
  toStoredFailure,
  unendedAttemptResult,
} from '../../core/task/attempt-records.ts';
import { doesFailureUseUpAttempt } from '../../core/task/retry-after-failure.ts';
import {
  findRoleAdapter,
  findRoleModel,
  readRoleBudget,
} from '../../domain/config/role-adapter-and-model.ts';
import type { Failure } from '../../domain/failure.ts';
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
import { isJoinedMachine } from '../machines/take-over-claims.ts';
import { findRulesBrokenByTask } from '../post-check/judge-commits.ts';
import { decideAndRecord, requireTaskInView, viewSession } from '../record-changes.ts';
import { keepCommitAsRescue } from '../retention/rescue-refs.ts';
import type { RunContext } from '../run-context.ts';
import { runPreValidationScript } from '../validate/obtain-verdict.ts';
import { diagnoseCommit, filterFailedDiagnostics } from '../validate/run-diagnostics.ts';
import { validateTask } from '../validate/validate-task.ts';
import {
  type Attempt,
  type AttemptEnding,
  leaveWorktreeToPerson,
  rescueSupersededAttempt,
} from './record-attempt-ending.ts';

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
  context.events.emit({ event: 'notice', level: 'warning', message });
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
export async function doesAttemptCountHere(
  context: RunContext,
  task: Task,
  one: AttemptRecord,
): Promise<boolean> {
  const worked = workedBy(task, one);
  if (worked === null) return true;
  const ends = [worked.commit, worked.start_commit, ...(one.work?.from === undefined ? [] : [one.work.from])];
  for (const commit of ends)
    if (commit === null || (await context.git.resolveCommit(commit)) === null) return false;
  return (await findRulesBrokenByTask(context, worked)).length === 0;
}

/** Adds to an attempt the findings of those verdicts on its work that count here, and no others. */
export async function withTrustedFindings(
  context: RunContext,
  task: Task,
  one: AttemptRecord,
): Promise<AttemptRecord> {
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
export async function checkAttemptsToChoose(
  context: RunContext,
  session: SessionId,
  id: Task['id'],
): Promise<void> {
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
  const message = `${task.id}: no verdict on the attempt by ${one.agent_id}: ${judgement.reason}`;
  context.events.emit({ event: 'notice', level: 'warning', message });
  await note(context, task, one, { failing });
}

/** The task as it were if this attempt's work were its own. */
function workedBy(task: Task, { agent_id, work, notes }: AttemptRecord): TaskWithAcceptedWork | null {
  if (work === undefined) return null;
  const { commit, start } = work;
  const entry = {
    attempt: 0,
    agent_id,
    timestamp: task.updated_at,
    result: 'done',
    notes,
    rejection_reason: null,
    cost_usd: 0,
    tokens_used: 0,
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
  if (recorded.kind !== 'done' || verdict === undefined) return;
  const { commit, status, notes, by } = verdict;
  context.events.emit({ event: 'verdict', task: task.id, commit, status, notes, by });
}

/**
 * Records the result of one of several attempts, after its work is kept as a rescue: so it is never made again. Returns
 * the failure of one that must be made again, since the failure was not its doing; else null.
 */
export async function recordOneOfSeveralAttempts(
  context: RunContext,
  attempt: Attempt,
  ending: AttemptEnding,
): Promise<Failure | null> {
  const { failure } = ending;
  if (failure?.retryable === true && !doesFailureUseUpAttempt(failure)) return failure;
  const { session, task, agent } = attempt;
  if (ending.work !== null) await keepCommitAsRescue(context, { session, task: task.id }, ending.work.tip);
  const size = await sizeOf(context, ending);
  const recorded = await decideAndRecord(context, session, (view) => {
    const now = requireTaskInView(view, task.id);
    if (!listRunningAgentsOfTask(now).includes(agent)) return null;
    const end = endOf(now, ending, size);
    const step = recordAttemptResult(now, agent, end);
    const accepted =
      end.work === undefined
        ? []
        : [
            toAcceptedCommitsDecision(
              { ...now, commit: end.work.commit, start_commit: end.work.start },
              context.configDigest,
            ),
          ];
    return { steps: [step], actor: agent, accepted };
  });
  if (recorded.kind !== 'done') {
    await rescueSupersededAttempt(context, attempt, ending.work?.tip ?? null);
    return null;
  }
  reportAttempt(context, requireTaskInView(recorded.view, task.id), attempt);
  // Its rescue holds it now. Files that were not accepted stay in it.
  if (ending.work === null) return null;
  if (ending.work.leftBehind.length === 0) await context.git.discardCell(ending.work.cell);
  else await leaveWorktreeToPerson(context, ending.work.cell);
  return null;
}

interface Size {
  readonly files: number;
  readonly lines: number;
}

async function sizeOf({ git }: Pick<RunContext, 'git'>, { work }: AttemptEnding): Promise<Size> {
  if (work === null) return { files: 0, lines: 0 };
  const files = await git.fileStats(work.cell.base, work.tip);
  return {
    files: files.length,
    lines: files.reduce((sum, { insertions, deletions }) => sum + insertions + deletions, 0),
  };
}

function endOf(
  task: Task,
  { failure, work, notes, leftNotes, outcome }: AttemptEnding,
  size: Size,
): AttemptResult {
  const spent = { cost_usd: outcome.cost_usd, tokens: outcome.tokens };
  if (work === null)
    return {
      ended: 'failed',
      notes: '',
      left: [],
      ...spent,
      ...(failure === null ? {} : { failure: toStoredFailure(failure) }),
    };
  const { start, base } = work.cell;
  return {
    ended: 'handed-in',
    notes,
    left: [...leftNotes.notes],
    ...spent,
    work: {
      commit: work.tip,
      start: base,
      ...(start === base ? {} : { from: start }),
      ...(task.built_on === undefined ? {} : { built_on: task.built_on }),
      ...size,
    },
  };
}

function reportAttempt(
  { events }: Pick<RunContext, 'events'>,
  { id, tries = [] }: Task,
  { agent }: Attempt,
): void {
  const at = tries.findIndex(({ agent_id }) => agent_id === agent);
  const one = tries[at];
  if (one === undefined || one.ended === null) return;
  events.emit({
    event: 'attempt-ended',
    task: id,
    agent,
    attempt: at + 1,
    of: tries.length,
    outcome: one.ended,
    lines: one.work?.lines ?? null,
    why: one.failure?.message ?? null,
  });
}
