import { reopenAfterCycleLimit } from '../core/changesets/reopen-session.ts';
import { isClaimedByPerson } from '../core/schedule/claimable-tasks.ts';
import { chooseNextAction, isClaimedByHand, type SessionAction } from '../core/schedule/next-action.ts';
import { canAnyTaskStart } from '../core/schedule/select-ready.ts';
import { claimedElsewhereError } from '../domain/concurrency-errors.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { SessionId } from '../domain/ids.ts';
import type { Task } from '../domain/state/task-schema.ts';
import { unreachable } from '../util/unreachable.ts';
import { isBudgetStop } from './agents/session-budget.ts';
import { askAboutFailedTasks, askHowToEndCycle, endSession } from './end-session.ts';
import { interruptedError } from './graceful-stop.ts';
import { type OpenLeadTools, runLeadAgent } from './lead-agent/run-lead-agent.ts';
import { runMergeWave } from './merge/merge-wave.ts';
import { askToAcceptReceived } from './plan/accept-received.ts';
import { type PlanOptions, runPlanWave } from './plan/plan-wave.ts';
import { decideAndRecord, type RecordContext, type SessionView, viewSession } from './record-changes.ts';
import { recoverSession } from './recover-session.ts';
import { runReviewWave } from './review/review-wave.ts';
import { type RunContext, warn } from './run-context.ts';
import { rememberSession } from './session/remember-session.ts';
import { leaveOutConflictBlockedTasks } from './stacking/block-on-conflict.ts';
import { runValidateWave } from './validate/validate-wave.ts';
import { runWorkWave } from './work/work-wave.ts';

/**
 * The whole loop: snapshot, decide, act, record, until the session has ended or a person stopped it. What
 * comes next is derived from the notes alone, so a session continues by calling it again. With `leadTools` a model leads
 * each cycle as far as it gets.
 */
export async function runSession(
  opened: RunContext,
  id: SessionId,
  options: PlanOptions,
  leadTools: OpenLeadTools | null = null,
): Promise<void> {
  let context = opened;
  let plan = options;
  let idle = 0;
  await resumeSession(context, id);
  context.run.isLed = leadTools !== null;
  if (leadTools !== null) await runLeadAgent(context, id, leadTools);
  for (;;) {
    if (context.signal.aborted) throw interruptedError();
    const view = await viewSession(context, id);
    const { session } = view;
    if (session.state === 'stopped') return;
    const action = actionOf(context, view);
    try {
      await act(context, id, action, plan);
    } catch (error) {
      // The session is stopped, in order.
      if (isBudgetStop(error)) return;
      throw error;
    }
    if (action.kind === 'end') return;
    // A plan written by hand is used once: a later request for another plan comes with its reason.
    if (action.kind === 'plan') plan = { ...options, plan: null };
    idle = await requireProgress(context, { before: view, action, idle });
    if (action.kind !== 'end-cycle' && action.kind !== 'left-over') continue;
    if ((await viewSession(context, id)).session.state === 'ended') return;
    context.gracefulStop.reset();
    context = await newRules(context, id);
    if (leadTools !== null) await runLeadAgent(context, id, leadTools);
  }
}

function actionOf(context: Pick<RunContext, 'config' | 'run' | 'gracefulStop'>, view: SessionView): SessionAction {
  return chooseNextAction({
    ...view,
    maxCycles: context.config.limits.max_wave_cycles,
    canStart: (all) =>
      canAnyTaskStart(leaveOutConflictBlockedTasks(context, all), context.config.concurrency.development),
    isWindingDown: context.gracefulStop.isRequested(),
  });
}

/** Between two cycles the configuration is read again: what changed is shown, and holds from then on. */
async function newRules(context: Pick<RunContext, 'reload'>, id: SessionId): Promise<RunContext> {
  const reloaded = await context.reload();
  await noticeConfig(reloaded, id);
  return reloaded;
}

interface Progress {
  readonly before: SessionView;
  readonly action: SessionAction;
  /** Number of actions before this one that wrote only what doesn't count as progress. */
  readonly idle: number;
}

/**
 * A wave that changed nothing would be repeated for ever, and each time might cost something. So would one
 * whose notes change without consequence; that is allowed once, since another process may just have undone
 * the change.
 */
async function requireProgress(context: RunContext, { before, action, idle }: Progress): Promise<number> {
  // The person may ask to start nothing more before any work began.
  if (context.gracefulStop.isRequested()) return 0;
  const after = await viewSession(context, before.session.id);
  if (context.signal.aborted || standOf(after) !== standOf(before)) return 0;
  if (revisionOf(after) !== revisionOf(before) && idle === 0) return 1;
  // Conflicts of the work a task would be built on are found by trying, and stored nowhere.
  if (action.kind === 'work' && actionOf(context, after).kind !== 'work') return 0;
  const claimed = after.tasks.filter(({ status }) => status === 'claimed');
  if (action.kind === 'work' && claimed.length > 0) throw othersWork(context, claimed);
  throw new FlameError({
    kind: 'internal',
    code: 'no-progress',
    message: `Internal error: the step ${JSON.stringify(action.kind)} changed nothing, so it is not tried again.`,
    hints: ['git flame status', 'git flame log'],
  });
}

/** Another process or a person works on the rest. */
function othersWork({ gates, place }: Pick<RunContext, 'gates' | 'place'>, tasks: readonly Task[]): FlameError {
  const list = tasks.map(({ id, agent_id, claimed_by }) => `${id} by ${agent_id ?? claimed_by ?? 'someone'}`);
  return claimedElsewhereError('waiting', `The session waits for other work to finish: ${list.join(', ')}.`, [
    ...tasks.filter((task) => isClaimedByPerson(task, gates.person)).map(({ id }) => `git flame task submit ${id}`),
    ...(tasks.some(({ claimed_host }) => claimed_host !== place) ? ['git flame sync'] : []),
    ...tasks.filter((task) => !isClaimedByHand(task)).map(({ id }) => `git flame task release ${id}`),
    'git flame status',
    'git flame run',
  ]);
}

function revisionOf({ session, tasks }: Pick<SessionView, 'session' | 'tasks'>): number {
  return tasks.reduce((sum, task) => sum + task.rev, session.rev);
}

/** State of a session that the next action follows from; figures, times and wordings left out. */
function standOf({ session, tasks, received, isOurs }: SessionView): string {
  const { wave, cycle, state, replans, base_commit, changesets } = session;
  return JSON.stringify([
    wave,
    cycle,
    state,
    replans,
    base_commit,
    isOurs,
    received.map(({ id, rev }) => [id, rev]),
    changesets.map((one) => [one.id, one.state]),
    tasks.map((task) => [task.id, task.status, task.result.status, task.commit, task.history.length]),
  ]);
}

/** Makes a session active again that was stopped, or ended at its limit of cycles, and finishes what a kill left half visible. */
export async function resumeSession(context: RunContext, id: SessionId): Promise<void> {
  await recoverSession(context, id);
  await decideAndRecord(context, id, ({ session, tasks }) => {
    const next =
      session.state === 'stopped'
        ? { ...session, state: 'active' as const }
        : reopenAfterCycleLimit(session, tasks, context.config.limits.max_wave_cycles);
    return next === undefined ? null : { session: { next, subject: 'session: continues' } };
  });
  await noticeConfig(context, id);
}

async function act(context: RunContext, id: SessionId, action: SessionAction, plan: PlanOptions): Promise<void> {
  switch (action.kind) {
    case 'plan':
      await runPlanWave(context, id, plan);
      return;
    case 'work':
      return runWorkWave(context, id);
    case 'validate':
      return runValidateWave(context, id);
    case 'merge':
      await runMergeWave(context, id);
      return;
    case 'review':
      await runReviewWave(context, id);
      return rememberSession(context, id);
    case 'accept':
      return askToAcceptReceived(context, id);
    case 'wait':
      throw othersWork(context, action.tasks);
    case 'end-cycle':
      return askHowToEndCycle(context, id);
    case 'left-over':
      return askAboutFailedTasks(context, id, action.reason);
    case 'end':
      return endSession(context, id, action.reason);
    default:
      return unreachable(action);
  }
}

/** Shows what changed in the configuration since the session last looked, before the new rules apply. */
async function noticeConfig(
  context: RecordContext & Pick<RunContext, 'configChanges' | 'configDigest'>,
  id: SessionId,
): Promise<void> {
  const { session } = await viewSession(context, id);
  const { configDigest: digest } = context;
  if (session.config_digest === digest) return;
  const details = await context.configChanges(session.config_digest);
  warn(context, 'The configuration has changed. The new values apply from now on.', details);
  await decideAndRecord(context, id, ({ session: now }) => ({
    session: { next: { ...now, config_digest: digest }, subject: `session: configuration ${digest}` },
    body: details.join('\n'),
  }));
}
