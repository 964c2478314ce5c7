import { chooseNextAction } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { PlanQuestion } from '../../domain/ports/gates.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { Role } from '../../domain/role.ts';
import type { Plan } from '../../domain/state/plan-schema.ts';
import { listOpenPullRequests } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { requireSoundPlan } from '../../engine/plan/plan-wave.ts';
import { predictPlanOrder } from '../../engine/plan/predict-plan-order.ts';
import { readPlanBoundsAtCommit } from '../../engine/plan-problems.ts';
import { viewSession } from '../../engine/record-changes.ts';
import { createSession, requireNoOpenSession, stopSessionForAnother } from '../../engine/session/create-session.ts';
import { findBaseBranch, requireRunCanStart } from '../../engine/work/preflight.ts';
import { renderGroupCircles } from '../../ui/render/render-plan.ts';
import { formatCount } from '../../util/format-figures.ts';
import { shortId } from '../../util/short-names.ts';
import { withSessionLock } from '../context/session-lock.ts';
import type { CommandContext } from '../run-context/open-run-context.ts';
import type { SessionToContinue } from '../run-loop/continue-session.ts';
import {
  describePlanSource,
  readPlan,
  reportSelectedSession,
  type StartRequest,
  selectsOpenSession,
} from './start-request.ts';

/**
 * Works on the session `plan` and `run` are about, under its lock: a new one when an objective or a plan file is
 * given, else the one that is open. Nothing is stored before everything a run needs was found.
 */
export async function runFromStartRequest(
  opened: CommandContext,
  wish: StartRequest,
  io: Io,
  work: (start: SessionToContinue) => Promise<number>,
  how: { readonly isShared?: boolean } = {},
): Promise<number> {
  const { command, from, isBeside } = wish;
  const plan = from === null ? null : await readPlan(from, io);
  const snapshot = await opened.store.snapshot();
  if (plan !== null && !canBeMended(opened)) await requireSound(opened, wish, plan);
  const session = sessionToContinue(opened, wish, snapshot);
  if (session !== null) {
    reportSelectedSession(opened, session);
    return withSessionLock(opened, session.id, () => work({ session: session.id, plan }), how);
  }
  const objective = wish.objective ?? (from === null ? null : `The plan in ${describePlanSource(from)}`);
  const requested = objective === null ? withRequest(opened, wish, snapshot) : null;
  if (requested !== null) {
    reportSelectedSession(opened, requested);
    return withSessionLock(opened, requested.id, () => work({ session: requested.id, plan: null }), how);
  }
  if (objective === null) throw noObjective(command, snapshot.sessions);
  if (!isBeside) requireNoOpenSession(snapshot);
  const base = await requireRunCanStart(opened.context, rolesNeeded(wish, plan !== null));
  const id = opened.context.newSessionId();
  // Locked before it exists: a command that starts another one meanwhile must find that it is worked on.
  return withSessionLock(
    opened,
    id,
    async () => {
      if (isBeside) await leaveIdleSessions(opened);
      await createSession(opened.context, id, { objective, base, isBeside });
      return work({ session: id, plan });
    },
    how,
  );
}

/** Sessions that no command works on make room for the new one; the others continue beside it. */
async function leaveIdleSessions({ context, store, git, output }: CommandContext): Promise<void> {
  const { sessions } = await store.snapshot();
  for (const { id } of sessions.filter(({ state }) => state === 'active')) {
    try {
      await withSessionLock({ git, store }, id, () => stopSessionForAnother(context, id));
    } catch (error) {
      if (!(error instanceof FlameError) || error.code !== 'session-busy') throw error;
      output.info(`Session ${id} continues in another git flame command, at the same time.`);
    }
  }
}

/** At a terminal, or with answers given beforehand, a plan with mistakes can be edited. */
function canBeMended({ context, commandLine }: CommandContext): boolean {
  return context.gates.isInteractive || commandLine.decisionsFile !== null;
}

/** The session that the request is about, if that is open. */
function sessionToContinue({ selected }: CommandContext, wish: StartRequest, snapshot: Snapshot): Session | null {
  const session = selected.pick(snapshot);
  return session !== null && session.state !== 'ended' && selectsOpenSession(session, wish) ? session : null;
}

/** With --pr, one that ended goes on where something was said of its pull request. */
function withRequest(
  { selected, commandLine }: CommandContext,
  { command }: StartRequest,
  snapshot: Snapshot,
): Session | null {
  const session = selected.pick(snapshot);
  if (command !== 'run' || !commandLine.wantsPullRequest || session?.state !== 'ended') return null;
  return listOpenPullRequests(session).length === 0 ? null : session;
}

function noObjective(command: string, sessions: readonly Session[]): FlameError {
  const stopped = sessions.filter(({ state }) => state === 'stopped').slice(-3);
  return new FlameError({
    kind: 'usage',
    code: 'no-objective',
    message: `No session is open, so git flame ${command} needs an objective.`,
    hints: [
      `git flame ${command} 'What you want done'`,
      `git flame ${command} --from FILE`,
      ...stopped.map(({ id }) => `git flame run --session ${id}`),
    ],
  });
}

function rolesNeeded({ command, isLed }: StartRequest, hasPlan: boolean): readonly Role[] {
  // A lead agent plans; a planner is asked only where it ends before it did.
  const planner: readonly Role[] = isLed ? ['queen'] : hasPlan ? [] : ['planner'];
  return command === 'plan' ? planner : [...planner, 'worker', 'validator', 'merger'];
}

/** Shows what `plan` and `run` would do, with `--dry-run`: nothing is spawned and nothing stored. */
export async function previewPlan(opened: CommandContext, wish: StartRequest, io: Io): Promise<number> {
  const { from, objective } = wish;
  const base = await findBaseBranch(opened.context);
  const session = opened.selected.pick(await opened.store.snapshot());
  const lines = [`Base branch: ${base.branch} at ${shortId(base.commit)}`];
  let waves: readonly (readonly string[])[] = [];
  let overlap: PlanQuestion['overlap'] | null = null;
  let circles: PlanQuestion['circles'] = [];
  if (from !== null) {
    const plan = await readPlan(from, io);
    await requireSound(opened, wish, plan);
    const order = predictPlanOrder(opened.context, plan);
    waves = order.waves;
    overlap = order.overlap ?? null;
    circles = order.circles ?? [];
    lines.push(
      `Plan: ${formatCount(plan.tasks.length, 'task')} from ${describePlanSource(from)}`,
      ...waves.map((wave, index) => `  step ${index + 1}: ${wave.join(', ')}`),
      ...(overlap?.tasks ?? []).map(
        ({ task, below }) =>
          `  ${task} ${overlap?.kind === 'build-on' ? 'is stacked on' : 'starts separately from'} ${below.map((one) => one.task).join(', ')}`,
      ),
      ...renderGroupCircles(circles).map((line) => `  ${line}`),
    );
  } else if (objective !== null) lines.push(`A planner would plan: ${objective}`);
  else if (session !== null && session.state !== 'ended') {
    const view = await viewSession(opened.context, session.id);
    const { kind } = chooseNextAction({ ...view, maxCycles: opened.config.limits.max_wave_cycles });
    lines.push(`Session ${session.id} would continue with: ${kind}`);
  }
  opened.output.result(lines.join('\n'));
  opened.output.json({
    base,
    from,
    objective,
    waves,
    ...(overlap === null ? {} : { overlap }),
    ...(circles.length === 0 ? {} : { circles }),
  });
  return 0;
}

/** All that the plan would be refused for: in the session it would belong to, or in a new one. */
async function requireSound(opened: CommandContext, wish: StartRequest, plan: Plan): Promise<void> {
  const { context, store } = opened;
  const snapshot = await store.snapshot();
  const session = sessionToContinue(opened, wish, snapshot);
  const beside = session === null ? [] : snapshot.tasksOf(session.id);
  const commit = session?.base_commit ?? (await findBaseBranch(context)).commit;
  requireSoundPlan(await readPlanBoundsAtCommit(context, commit), plan, beside);
}
