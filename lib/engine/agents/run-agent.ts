import { readWorkerNotes } from '../../core/blackboard/parse-notes-in-message.ts';
import { addAgentRunCost } from '../../core/schedule/budget-state.ts';
import { renderReasonLines } from '../../core/task/file-reasons.ts';
import { computeBackoffMs } from '../../core/task/retry-after-failure.ts';
import { nextAttemptNumber } from '../../core/task/task-history.ts';
import { findRoleModel } from '../../domain/config/role-adapter-and-model.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import { adapterTalksToModel } from '../../domain/ports/adapter.ts';
import type { AgentOutcome, AgentRequest, RunningAgent } from '../../domain/ports/agent-port.ts';
import type { AgentEndNote } from '../../domain/ports/git-cells.ts';
import type { AgentRunRecord, Session } from '../../domain/state/session-schema.ts';
import { stoppedBeforeStartError } from '../graceful-stop.ts';
import { releaseUnspentReservation, reserveAgentBudget } from '../machines/reserve-budget.ts';
import { endAgentWhenClaimIsLost, type WatchedAgentOutcome, waitForReconnect } from '../machines/watch-agent-claims.ts';
import { type RecordContext, recordUnderAnyLead, viewSession } from '../record-changes.ts';
import { type RunContext, timestamp, warn } from '../run-context.ts';
import { proveDeniedCallsAreDenied, requirePrice } from './require-usable-adapters.ts';
import { recordServicePause, waitForService } from './service-pauses.ts';
import {
  checkLiveBudget,
  computeAgentBudget,
  recordShareTooSmall,
  requireBudget,
  trackLiveSpending,
} from './session-budget.ts';
import { type AgentJob, startAgentForJob } from './start-agent-for-job.ts';

/** Grace between SIGTERM and SIGKILL when a person stops the program, in milliseconds. */
const stopGraceMs = 10_000;

// A service that stays at its limit must not keep a session alive for ever.
const maxWaits = 50;
// Milliseconds before a cell that could not be made is tried again: no agent was in it, so no attempt is used up.
const cellPauses = [500, 2_000];

/**
 * Runs one agent to its end and books what it cost to the session. Where its service refuses for now, nothing is
 * started before that ends; a worker's attempt is then over, any other agent is started again. So it is where this machine
 * was cut off from the others, but for one a person talks to, or that leads.
 */
export async function runAgent(context: RunContext, job: AgentJob): Promise<AgentOutcome> {
  await proveDeniedCallsAreDenied(context, job.adapter, findRoleModel(context.config, job.role, job.task));
  const attempts = job.role === 'worker' ? nextAttemptNumber(job.task?.history ?? []) : 0;
  for (let tries = attempts; ; tries += 1) {
    const wait = await waitForService(context, job.session, job.adapter);
    if (context.signal.aborted) throw stoppedBeforeStartError(wait);
    if (adapterTalksToModel(context.adapter(job.adapter))) await requireBudget(context, job.session);
    const outcome = await runInCell(context, job);
    const { failure } = outcome;
    // Any other role starts again after a raise; a worker's task is taken up again by its wave.
    if (failure?.kind === 'session-budget' && job.role !== 'worker') continue;
    if (outcome.isCutOff === true && startsAgain(job)) {
      await waitForReconnect(context);
      if (context.signal.aborted) return outcome;
      continue;
    }
    if (failure?.kind !== 'rate-limit' && failure?.kind !== 'unreachable') return outcome;
    await recordServicePause(context, job.session, { adapter: job.adapter, failure, tries });
    if (job.role === 'worker' || context.signal.aborted || tries >= maxWaits) return outcome;
  }
}

function startsAgain({ role, isInteractive, tools }: AgentJob): boolean {
  return role !== 'worker' && isInteractive !== true && tools === undefined;
}

/** A cell that can't be made now may be in a moment: what it takes is shared with everything on the machine. */
async function runInCell(context: RunContext, job: AgentJob): Promise<WatchedAgentOutcome> {
  for (const pause of cellPauses) {
    const outcome = withReach(context, job.adapter, await runOnce(context, job));
    if (outcome.failure?.kind !== 'spawn-failed' || !outcome.failure.retryable) return outcome;
    await context.machine.sleep(pause, context.signal);
    if (context.signal.aborted) return outcome;
  }
  const last = await runOnce(context, job);
  // Another attempt would fail the same way.
  return last.failure?.kind === 'spawn-failed' ? { ...last, failure: { ...last.failure, retryable: false } } : last;
}

async function runOnce(context: RunContext, job: AgentJob): Promise<WatchedAgentOutcome> {
  const began = timestamp(context);
  const model = findRoleModel(context.config, job.role, job.task);
  const { session } = await viewSession(context, job.session);
  const { role, id } = job;
  const isPaid = adapterTalksToModel(context.adapter(job.adapter));
  const reserved = isPaid ? await reserveAgentBudget(context, job.session, { agent: id, role }) : null;
  const { budget, isCut } = reserved ?? computeAgentBudget(context, session, role);
  const running = await started(context, job, { model, budget });
  const task = job.task?.id ?? null;
  context.events.emit({ event: 'agent-started', agent: id, role, task, pid: running.pid });
  const guard = endAgentWhenClaimIsLost(context, job, running);
  const ended = await untilEnd(context, running).finally(() => guard.end());
  const outcome = explainByShare(guard.judge(ended), isCut);
  if (isCut && outcome.failure?.kind === 'session-budget') await recordShareTooSmall(context, job.session);
  const result = outcome.failure === null ? 'ended' : outcome.failure.kind;
  const { cost_usd, tokens, duration_ms } = outcome;
  const run: AgentRunRecord = {
    id,
    role,
    task_id: task,
    model: isPaid ? model : null,
    started_at: began,
    ended_at: timestamp(context),
    outcome: result,
    cost_usd,
    tokens,
  };
  // First of all: after a kill from here on, the run is not paid for twice.
  if (role === 'worker' && outcome.failure === null)
    await context.git.recordAgentEnd(job.cell, { run, ...endOf(outcome) });
  for (const message of outcome.warnings ?? []) {
    warn(context, `${id}: ${message}`);
  }
  context.events.emit({
    event: 'agent-ended',
    agent: id,
    role,
    task,
    outcome: result,
    cost_usd,
    tokens,
    duration_ms,
  });
  await bookRun(context, job.session, run);
  // One that has to be started again finds its place free.
  await running.release?.();
  trackLiveSpending(context, job.id, null);
  checkLiveBudget(context, (await viewSession(context, job.session)).session);
  return outcome;
}

/** Reasons that a start after a kill still knows; most workers give one for each file. */
const mostReasonsNoted = 1_000;

function endOf(outcome: AgentOutcome): Omit<AgentEndNote, 'run'> {
  const { words, notes, reasons } = readWorkerNotes(outcome);
  const left = [...notes, renderReasonLines(reasons.slice(-mostReasonsNoted))].filter(Boolean);
  return { text: words.slice(0, 2_000), notes: left.join('\n\n') };
}

/** An agent that doesn't start gives its share of the budget back. */
async function started(
  context: RunContext,
  job: AgentJob,
  asked: Pick<AgentRequest, 'model' | 'budget'>,
): Promise<RunningAgent> {
  try {
    requirePrice(context, { ...asked, adapter: job.adapter, role: job.role });
    return await startAgentForJob(context, job, asked);
  } catch (error) {
    await releaseUnspentReservation(context, job.session, job.id).catch(() => undefined);
    throw error;
  }
}

/** An agent whose share was cut ends by the session's budget: it is tried again once that is raised. */
function explainByShare(outcome: WatchedAgentOutcome, isCut: boolean): WatchedAgentOutcome {
  if (!isCut || outcome.failure?.kind !== 'budget') return outcome;
  const message = "The rest of the session's budget was too little for the agent.";
  return { ...outcome, failure: { ...outcome.failure, kind: 'session-budget', message, retryable: true } };
}

async function untilEnd(context: Pick<RunContext, 'signal'>, running: RunningAgent): Promise<AgentOutcome> {
  const stop = (): void => void running.stop(stopGraceMs);
  if (context.signal.aborted) stop();
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    return await running.outcome;
  } finally {
    context.signal.removeEventListener('abort', stop);
  }
}

async function bookRun(context: RecordContext, id: SessionId, run: AgentRunRecord): Promise<void> {
  // A free run leaves nothing to book; the rest is in its task.
  if (run.model === null && run.cost_usd === 0) return;
  await recordUnderAnyLead(context, id, ({ session }) => {
    const next: Session = addAgentRunCost(session, run);
    return {
      session: { next, subject: `session: ${run.id} ${run.outcome}, ${run.cost_usd.toFixed(4)} USD` },
    };
  });
}

/** How long a model API may be out of reach before a run ends. */
const longestOutageMs = 10 * 60_000;
// After an outage the person should not wait for minutes.
const longestWaitMs = 60_000;

/**
 * Adds the time of a retry to the outcome of an agent that could not reach its service: nothing it did failed, so no
 * retry is used up. Throws FlameError `model-unreachable` once that has lasted ten minutes.
 */
function withReach<Outcome extends AgentOutcome>(
  context: Pick<RunContext, 'now' | 'random' | 'run'>,
  adapter: string,
  outcome: Outcome,
): Outcome {
  const known = context.run.outages;
  const { failure } = outcome;
  if (failure?.kind !== 'unreachable') {
    // A person's stop says nothing of the network.
    if (failure?.kind !== 'agent-stopped') known.delete(adapter);
    return outcome;
  }
  const now = context.now().getTime();
  const { began, failures } = known.get(adapter) ?? { began: now, failures: 0 };
  const end = began + longestOutageMs;
  if (now >= end) {
    known.delete(adapter);
    throw unreachable(failure.message);
  }
  known.set(adapter, { began, failures: failures + 1 });
  const until = Math.min(now + Math.min(computeBackoffMs(failures, context.random()), longestWaitMs), end);
  const message = `${failure.message} It is tried again for up to ${longestOutageMs / 60_000} minutes.`;
  return { ...outcome, failure: { ...failure, message, until: new Date(until).toISOString() } };
}

function unreachable(why: string): FlameError {
  return refusedError(
    'model-unreachable',
    `${why} The run tried again for ${longestOutageMs / 60_000} minutes and stopped. All work so far is kept.`,
    ['Check the network connection, then: git flame run'],
  );
}
