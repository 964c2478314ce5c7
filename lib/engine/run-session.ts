import { continueSession } from '../core/changesets/reopen-session.ts';
import { type Action, isHeld, nextAction } from '../core/schedule/next-action.ts';
import { canStart } from '../core/schedule/select-ready.ts';
import { isHeldBy } from '../core/schedule/task-holder.ts';
import { claimedElsewhere } from '../domain/concurrency-errors.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { SessionId } from '../domain/ids.ts';
import type { Task } from '../domain/state/task.ts';
import { unreachable } from '../util/unreachable.ts';
import { isBudgetStop } from './agents/session-budget.ts';
import { endCycle, endSession, settleLeftOver } from './end-session.ts';
import { interruptedError } from './interrupted.ts';
import { type OpenLeadTools, runLeadAgent } from './lead-agent/run-lead-agent.ts';
import { mergeWave } from './merge/merge-wave.ts';
import { acceptReceived } from './plan/accept-received.ts';
import { type PlanOptions, planWave } from './plan/plan-wave.ts';
import { type Recorder, record, type SessionView, viewSession } from './record.ts';
import { recoverSession } from './recover-session.ts';
import { reviewWave } from './review/review-wave.ts';
import type { Workshop } from './run-context.ts';
import { remember } from './session/remember-session.ts';
import { withoutHeldApart } from './stacking/block-on-conflict.ts';
import { validateWave } from './validate/validate-wave.ts';
import { workWave } from './work/work-wave.ts';

/**
 * The whole loop: snapshot, decide, act, record, until the session has ended or a person stopped it. What
 * comes next is derived from the notes alone, so a session continues by calling it again. With `leadTools` a model leads
 * each cycle as far as it gets.
 */
export async function runSession(
  opened: Workshop,
  id: SessionId,
  options: PlanOptions,
  leadTools: OpenLeadTools | null = null,
): Promise<void> {
  let workshop = opened;
  let plan = options;
  let idle = 0;
  await resume(workshop, id);
  workshop.run.isLed = leadTools !== null;
  if (leadTools !== null) await runLeadAgent(workshop, id, leadTools);
  for (;;) {
    if (workshop.signal.aborted) throw interruptedError();
    const view = await viewSession(workshop, id);
    const { session } = view;
    if (session.state === 'stopped') return;
    const action = actionOf(workshop, view);
    try {
      await act(workshop, id, action, plan);
    } catch (error) {
      // The session is stopped, in order.
      if (isBudgetStop(error)) return;
      throw error;
    }
    if (action.kind === 'end') return;
    // A plan written by hand is used once: a later request for another plan comes with its reason.
    if (action.kind === 'plan') plan = { ...options, plan: null };
    idle = await requireProgress(workshop, { before: view, action, idle });
    if (action.kind !== 'end-cycle' && action.kind !== 'left-over') continue;
    if ((await viewSession(workshop, id)).session.state === 'ended') return;
    workshop.windDown.reset();
    workshop = await newRules(workshop, id);
    if (leadTools !== null) await runLeadAgent(workshop, id, leadTools);
  }
}

function actionOf(workshop: Pick<Workshop, 'config' | 'run' | 'windDown'>, view: SessionView): Action {
  return nextAction({
    ...view,
    maxCycles: workshop.config.limits.max_wave_cycles,
    canStart: (all) => canStart(withoutHeldApart(workshop, all), workshop.config.concurrency.development),
    isWindingDown: workshop.windDown.isAsked(),
  });
}

/** Between two cycles the configuration is read again: what changed is shown, and holds from then on. */
async function newRules(workshop: Pick<Workshop, 'reload'>, id: SessionId): Promise<Workshop> {
  const reloaded = await workshop.reload();
  await noticeConfig(reloaded, id);
  return reloaded;
}

interface Progress {
  readonly before: SessionView;
  readonly action: Action;
  /** Number of actions before this one that wrote only what doesn't count as progress. */
  readonly idle: number;
}

/**
 * A wave that changed nothing would be repeated for ever, and each time might cost something. So would one
 * whose notes change without consequence; that is allowed once, since another process may just have undone
 * the change.
 */
async function requireProgress(workshop: Workshop, { before, action, idle }: Progress): Promise<number> {
  // The person may ask to start nothing more before any work began.
  if (workshop.windDown.isAsked()) return 0;
  const after = await viewSession(workshop, before.session.id);
  if (workshop.signal.aborted || standOf(after) !== standOf(before)) return 0;
  if (revisionOf(after) !== revisionOf(before) && idle === 0) return 1;
  // Conflicts of the work a task would be built on are found by trying, and stored nowhere.
  if (action.kind === 'work' && actionOf(workshop, after).kind !== 'work') return 0;
  const claimed = after.tasks.filter(({ status }) => status === 'claimed');
  if (action.kind === 'work' && claimed.length > 0) throw othersWork(workshop, claimed);
  throw new FlameError({
    kind: 'internal',
    code: 'no-progress',
    message: `Internal error: the step ${JSON.stringify(action.kind)} changed nothing, so it is not tried again.`,
    hints: ['git flame status', 'git flame log'],
  });
}

/** Another process or a person works on the rest. */
function othersWork({ gates, place }: Pick<Workshop, 'gates' | 'place'>, tasks: readonly Task[]): FlameError {
  const list = tasks.map(({ id, agent_id, claimed_by }) => `${id} by ${agent_id ?? claimed_by ?? 'someone'}`);
  return claimedElsewhere(
    'waiting',
    `Nothing can be done here until other work is done: ${list.join(', ')}.`,
    [
      ...tasks.filter((task) => isHeldBy(task, gates.person)).map(({ id }) => `git flame task submit ${id}`),
      ...(tasks.some(({ claimed_host }) => claimed_host !== place) ? ['git flame sync'] : []),
      ...tasks.filter((task) => !isHeld(task)).map(({ id }) => `git flame task release ${id}`),
      'git flame status',
      'git flame run',
    ],
  );
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
export async function resume(workshop: Workshop, id: SessionId): Promise<void> {
  await recoverSession(workshop, id);
  await record(workshop, id, ({ session, tasks }) => {
    const next =
      session.state === 'stopped'
        ? { ...session, state: 'active' as const }
        : continueSession(session, tasks, workshop.config.limits.max_wave_cycles);
    return next === undefined ? null : { session: { next, subject: 'session: goes on' } };
  });
  await noticeConfig(workshop, id);
}

async function act(workshop: Workshop, id: SessionId, action: Action, plan: PlanOptions): Promise<void> {
  switch (action.kind) {
    case 'plan':
      await planWave(workshop, id, plan);
      return;
    case 'work':
      return workWave(workshop, id);
    case 'validate':
      return validateWave(workshop, id);
    case 'merge':
      await mergeWave(workshop, id);
      return;
    case 'review':
      await reviewWave(workshop, id);
      return remember(workshop, id);
    case 'accept':
      return acceptReceived(workshop, id);
    case 'wait':
      throw othersWork(workshop, action.tasks);
    case 'end-cycle':
      return endCycle(workshop, id);
    case 'left-over':
      return settleLeftOver(workshop, id, action.reason);
    case 'end':
      return endSession(workshop, id, action.reason);
    default:
      return unreachable(action);
  }
}

/** Shows what changed in the configuration since the session last looked, before the new rules apply. */
async function noticeConfig(
  workshop: Recorder & Pick<Workshop, 'configChanges' | 'configDigest'>,
  id: SessionId,
): Promise<void> {
  const { session } = await viewSession(workshop, id);
  const { configDigest: digest } = workshop;
  if (session.config_digest === digest) return;
  const details = await workshop.configChanges(session.config_digest);
  const message = 'The configuration has changed; from here on the new values hold.';
  workshop.events.emit({ event: 'notice', level: 'warning', message, details });
  await record(workshop, id, ({ session: now }) => ({
    session: { next: { ...now, config_digest: digest }, subject: `session: configuration ${digest}` },
    body: details.join('\n'),
  }));
}
