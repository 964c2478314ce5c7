import { listUndoableDecisions } from '../core/changesets/changeset-decision.ts';
import { requireCycleLeft, sendPlanBack, summarizeSessionCounts } from '../core/changesets/reopen-session.ts';
import { computeBudgetState } from '../core/schedule/budget-state.ts';
import { isTaskOpen, listChangesetsOfCycle } from '../core/schedule/next-action.ts';
import { makeRequeuedTaskPending } from '../core/task/task-outcome.ts';
import { findRoleAdapter } from '../domain/config/role-adapter-and-model.ts';
import { refusedError } from '../domain/flame-error.ts';
import type { SessionId } from '../domain/ids.ts';
import { adapterTalksToModel } from '../domain/ports/adapter.ts';
import type { DecisionWithPlace, SessionDecision, SessionQuestion } from '../domain/ports/gates.ts';
import type { Session } from '../domain/state/session-schema.ts';
import { addGateDecision } from './agents/ask-person.ts';
import { decideAndRecord, type RecordContext, type SessionView, viewSession } from './record-changes.ts';
import { removeLeftoverWorktrees, reportKeptWorktrees } from './recover-session.ts';
import { archiveOldSessionsQuietly } from './retention/archive-old-sessions.ts';
import { reportClosedTryWorktrees } from './retention/tried-changesets.ts';
import { undoChangesetDecision } from './review/undo-changeset-decision.ts';
import { inform, type RunContext } from './run-context.ts';
import { rememberSession } from './session/remember-session.ts';

/** Ways a person can go on with work that is left where a session ends. */
function leftOverHints(
  { session, tasks }: Pick<SessionView, 'session' | 'tasks'>,
  maxCycles: number,
): readonly string[] {
  if (tasks.some(isTaskOpen) && session.cycle >= maxCycles)
    return [`To continue: raise limits.max_wave_cycles above ${maxCycles}, then git flame resume ${session.id}`];
  const failed = tasks.find(({ status }) => status === 'failed');
  if (failed === undefined) return [];
  return [
    ...(listChangesetsOfCycle(session).length === 0
      ? ['Nothing passed in this cycle, so there was nothing to merge or review']
      : []),
    `To try it again: git flame task release ${failed.id}, then git flame run`,
    "To plan the rest: git flame plan 'What is left to do'",
  ];
}

/** Closes a session; ending twice changes nothing. */
export async function endSession(context: RunContext, id: SessionId, reason: string): Promise<void> {
  const ended = await decideAndRecord(context, id, ({ session }) => {
    if (session.state === 'ended') return null;
    return {
      session: { next: { ...session, state: 'ended', wave: 'done' }, subject: `session: ended, ${reason}` },
    };
  });
  if (ended.kind !== 'done') return;
  const details = leftOverHints(await viewSession(context, id), context.config.limits.max_wave_cycles);
  inform(context, `The session has ended: ${reason}.`, details);
  await rememberSession(context, id);
  await removeLeftoverWorktrees(context);
  await reportKeptWorktrees(context, id);
  await reportClosedTryWorktrees(context, id);
  await archiveOldSessionsQuietly(context);
  await context.git.packManyLooseObjects();
}

/**
 * Ends a session on a person's request: no more work begins in it. Its work stays, and `git flame resume` continues it.
 * Throws FlameError `tasks-claimed` while any worker has a task of it.
 */
export async function giveUpSessionByPerson(context: RunContext, id: SessionId): Promise<void> {
  const { tasks } = await viewSession(context, id);
  const claimed = tasks.filter(({ status }) => status === 'claimed');
  const [first] = claimed;
  if (first !== undefined) {
    throw refusedError(
      'tasks-claimed',
      `Session ${id} can't end while its tasks are claimed: ${claimed.map((task) => task.id).join(', ')}.`,
      [`git flame task submit ${first.id}`, `git flame task release ${first.id}`],
    );
  }
  await endSession(context, id, `given up by ${context.gates.person}`);
}

/** Work is left at the end of a cycle: a person decides whether to continue, plan again or stop. */
export async function askHowToEndCycle(
  context: RecordContext & Pick<RunContext, 'adapter' | 'memory' | 'run'>,
  id: SessionId,
): Promise<void> {
  await rememberSession(context, id);
  const question = await askAbout(context, id);
  if (isReviewed(context, question)) return reviewCycle(context, question);
  const decision = await context.gates.session(question);
  if (decision.kind === 'undo') {
    await undoChangesetDecision(context, id, decision.changeset, decision);
    return;
  }
  if (decision.kind !== 'stop') return startNextCycle(context, question.session, decision);
  await noteStop(context, id, 'stopped', decision);
}

/**
 * Retries or replans failed tasks if a person decides that, or a planner looks at them; else the session ends, which
 * `git flame task release` takes back.
 */
export async function askAboutFailedTasks(context: RunContext, id: SessionId, reason: string): Promise<void> {
  await rememberSession(context, id);
  const question = await askAbout(context, id);
  if (isReviewed(context, question)) return reviewCycle(context, question);
  const decision = (await context.gates.leftOver?.(question)) ?? null;
  if (decision !== null && decision.kind !== 'stop') return startNextCycle(context, question.session, decision);
  if (decision !== null) await noteStop(context, id, 'active', decision);
  return endSession(context, id, reason);
}

/**
 * Whether a planner looks at what came out before another cycle: its plan is the person's to decide about, who may end the
 * session there. A lead agent does that itself; a script plans nothing.
 */
function isReviewed(
  { adapter, config, run }: Pick<RunContext, 'adapter' | 'config' | 'run'>,
  { cyclesLeft }: SessionQuestion,
): boolean {
  if (!config.queen.review || run.isLed || cyclesLeft <= 0) return false;
  return adapterTalksToModel(adapter(findRoleAdapter(config, 'planner')));
}

/** Has the planner of the next cycle read how this one ended. */
async function reviewCycle(context: RecordContext, { session, summary }: SessionQuestion): Promise<void> {
  const { approved, requeued, blocked, failed } = summary;
  const notes = `Cycle ${session.cycle} is over: ${approved} approved, ${requeued} sent back, ${failed} failed, ${blocked} blocked. Study the results and their reasons, then plan the rest: keep tasks that only need another attempt, change tasks that asked for the wrong thing, and leave out tasks that are no longer needed.`;
  const message = `A planner studies the results of cycle ${session.cycle} and proposes a plan (queen.review). You decide about the plan.`;
  inform(context, message);
  await decideAndRecord(context, session.id, ({ session: now }) => {
    const next = { ...sendPlanBack(now, notes), wave: 'plan' as const, replans: 0 };
    return { session: { next, subject: `session: a planner reviews cycle ${session.cycle}` }, body: notes };
  });
}

async function askAbout(context: Pick<RunContext, 'config' | 'store'>, id: SessionId): Promise<SessionQuestion> {
  const { session, tasks } = await viewSession(context, id);
  const decided = listUndoableDecisions(session);
  return {
    session,
    tasks,
    ...(decided.length === 0 ? {} : { undoable: decided }),
    summary: summarizeSessionCounts(tasks, listChangesetsOfCycle(session)),
    cyclesLeft: context.config.limits.max_wave_cycles - session.cycle,
    budget: computeBudgetState(context.config, session),
  };
}

/** Another cycle, or another plan. Throws FlameError `cycle-limit` where none is left. */
async function startNextCycle(
  context: RecordContext,
  session: Session,
  decision: DecisionWithPlace<Exclude<SessionDecision, { kind: 'stop' | 'undo' }>>,
): Promise<void> {
  context.events.emit({ event: 'gate', gate: 'session', decision: decision.kind });
  requireCycleLeft(session, context.config.limits.max_wave_cycles);
  if (decision.kind !== 'replan') return recordNextCycle(context, session.id, { ...decision, kind: decision.kind });
  await decideAndRecord(context, session.id, ({ session: now }) => {
    const gated = addGateDecision(now, { gate: 'session', decision: 'replan' }, decision, context);
    const next = { ...sendPlanBack(gated, decision.notes), wave: 'plan' as const, replans: 0 };
    return { session: { next, subject: 'session: sent back to the planner' }, body: decision.notes };
  });
}

async function noteStop(
  context: RecordContext,
  id: SessionId,
  state: 'active' | 'stopped',
  from: DecisionWithPlace<unknown>,
): Promise<void> {
  context.events.emit({ event: 'gate', gate: 'session', decision: 'stop' });
  await decideAndRecord(context, id, ({ session: now }) => {
    const next = { ...addGateDecision(now, { gate: 'session', decision: 'stop' }, from, context), state };
    return { session: { next, subject: 'session: stopped' } };
  });
}

/** Begins the next cycle: what was sent back is pending again, and with `retry` what failed too. */
export async function recordNextCycle(
  context: RecordContext,
  id: SessionId,
  decision: DecisionWithPlace<{ readonly kind: 'continue' | 'retry' }>,
): Promise<void> {
  const again = decision.kind === 'retry' ? ['requeued', 'failed'] : ['requeued'];
  await decideAndRecord(context, id, ({ session, tasks }) => {
    const steps = tasks.filter(({ status }) => again.includes(status)).map((task) => makeRequeuedTaskPending(task));
    const gated = addGateDecision(session, { gate: 'session', decision: decision.kind }, decision, context);
    const next = { ...gated, cycle: session.cycle + 1, wave: 'work' as const };
    return { steps, session: { next, subject: `session: cycle ${next.cycle} begins` } };
  });
}
