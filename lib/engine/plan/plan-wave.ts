import { listAgentTextsInPlan } from '../../core/admission/list-agent-texts.ts';
import { listAdapterDecisions } from '../../core/admission/make-decisions.ts';
import { predictTaskBatches } from '../../core/schedule/predict-batches.ts';
import { findRoleAdapter } from '../../domain/config/role-adapter-and-model.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { DecisionWithPlace, PlanDecision } from '../../domain/ports/gates.ts';
import type { GitFiles } from '../../domain/ports/git-contents.ts';
import type { Plan, PlannedTask } from '../../domain/state/plan-schema.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import { hasWildcard } from '../../util/path-globs.ts';
import type { LockFactsReader } from '../lock-paths.ts';
import {
  describePlanProblem,
  estimatePlanCost,
  invalidPlanError,
  listPlanProblems,
  listProblemsBesideTasks,
  listProposalProblems,
  listUnreplaceableTaskIds,
  type PlanBounds,
  readPlanBoundsAtCommit,
} from '../plan-problems.ts';
import { decideAndRecord, type RecordContext, type SessionView, viewSession } from '../record-changes.ts';
import { inform, type RunContext, type WithGit, warn } from '../run-context.ts';
import { askToAcceptReceived, describeReceivedParts, notAcceptedError } from './accept-received.ts';
import { askPlanner, noPlanError } from './ask-planner.ts';
import { findUnmatchedLocks, predictPlanOrder } from './predict-plan-order.ts';
import {
  approvePlan,
  listTasksReplacedByPlan,
  recordQuitAtPlan,
  recordReplanDecision,
} from './turn-plan-into-tasks.ts';

const maxReplans = 3;

export interface PlanOptions {
  /** A plan written by hand: no planner is asked. */
  readonly plan: Plan | null;
  /** Whether the planner should talk with the person, where there is one at a terminal. */
  readonly wantsTalk: boolean;
}

/**
 * Wave 1: a plan, checked, and a person's word on it. What the planner answered is kept before anybody is asked,
 * so that going on later costs nothing twice. Resolves to whether there is work now.
 */
export async function runPlanWave(context: RunContext, id: SessionId, options: PlanOptions): Promise<boolean> {
  let view = await viewSession(context, id);
  context.events.emit({ event: 'wave-started', wave: 'plan', cycle: view.session.cycle + 1 });
  let isByHand = options.plan !== null;
  let proposal = options.plan ?? (view.session.proposal === null ? null : { tasks: view.session.proposal });
  if (proposal === null && !view.isOurs) {
    await askToAcceptReceived(context, id);
    view = await viewSession(context, id);
  }
  for (;;) {
    proposal ??= await requestPlan(context, view, canTalk(context, options));
    view = await propose(context, view.session, proposal, isByHand);
    // Beside work that goes on, an empty plan only takes the rest out.
    if (proposal.tasks.length === 0 && view.session.wave === 'plan') return endEmpty(context, id);
    const check = isByHand ? listPlanProblems : listProposalProblems;
    const decision = await decidePlan(context, view, proposal, check);
    if (decision.kind === 'approve') return approvePlan(context, view, proposal, decision);
    if (decision.kind === 'quit') {
      if (!view.isOurs) throw notAcceptedError(view.session);
      return recordQuitAtPlan(context, id, decision);
    }
    isByHand = decision.kind === 'edit';
    proposal = decision.kind === 'edit' ? decision.plan : null;
    if (decision.kind === 'replan') view = await recordReplanDecision(context, id, decision);
  }
}

/**
 * Refuses a talk with the planner that its CLI can't have, where a person's option asked for one. Throws FlameError
 * `cannot-talk`; for a configuration's wish there is only a warning.
 */
export function requirePlannerThatTalks(context: Pick<RunContext, 'adapter' | 'config'>): void {
  const { name, canTalk } = context.adapter(findRoleAdapter(context.config, 'planner'));
  if (canTalk) return;
  throw refusedError(
    'cannot-talk',
    `You can't talk with agents of ${name} here: a planner of ${name} makes its plan at once.`,
    [
      'git flame plan --no-interactive',
      'Or let claude plan, in .blueflame.yml: roles: { planner: { adapter: claude } }',
    ],
  );
}

function canTalk(
  context: Pick<RunContext, 'adapter' | 'config' | 'events' | 'gates'>,
  { wantsTalk }: PlanOptions,
): boolean {
  const adapter = context.adapter(findRoleAdapter(context.config, 'planner'));
  if (!wantsTalk || (context.gates.isInteractive && adapter.canTalk)) return wantsTalk;
  const message = adapter.canTalk
    ? 'The planner makes its plan at once: talking with it needs a terminal and no --decisions-file.'
    : `The planner makes its plan at once: you can't talk with agents of ${adapter.name} here.`;
  warn(context, message);
  return false;
}

/** Asks the planner, and once more with the reasons when its answer can't be used; a second bad plan goes to the person. */
async function requestPlan(context: RunContext, view: SessionView, isInteractive: boolean): Promise<Plan> {
  const bounds = await readPlanBoundsAtCommit(context, view.session.base_commit);
  let problems: readonly string[] = [];
  let plan: Plan | null = null;
  for (let tries = 0; tries < 2; tries += 1) {
    const answer = await askPlanner(context, {
      session: view.session,
      tasks: view.tasks,
      problems,
      isInteractive: isInteractive && tries === 0,
    });
    if (answer.kind === 'plan') plan = answer.plan;
    problems =
      answer.kind === 'plan' ? listPlanProblems(bounds, view, answer.plan).map(describePlanProblem) : answer.problems;
    if (problems.length === 0 && plan !== null) return plan;
    context.events.emit({ event: 'plan-invalid', problems });
  }
  if (plan !== null) return plan;
  throw noPlanError('The planner gave no usable plan, even after it received a list of its mistakes.', {
    kind: 'refused',
    details: problems,
    hints: ['git flame plan', 'Or write the plan yourself: git flame plan --from FILE'],
  });
}

/** Refuses a plan that can't be approved, before anything is stored: for plans no gate can edit. */
export function requireSoundPlan(bounds: PlanBounds, plan: Plan, tasks: SessionView['tasks']): void {
  const problems = listProblemsBesideTasks(bounds, plan, listUnreplaceableTaskIds(tasks));
  if (problems.length > 0) throw invalidPlanError(problems);
}

async function propose(context: RecordContext, session: Session, plan: Plan, isByHand: boolean): Promise<SessionView> {
  await decideAndRecord(context, session.id, ({ session: now, snapshot }) => ({
    session: {
      next: { ...now, proposal: [...plan.tasks], estimate: estimatePlanCost(context, snapshot, plan.tasks) },
      subject: `session: a plan of ${plan.tasks.length} task${plan.tasks.length === 1 ? '' : 's'} is proposed`,
    },
    // By writing the plan, a person vouches for its adapters, whether or not the rest is approved.
    accepted: isByHand ? plan.tasks.flatMap((task) => listAdapterDecisions({ ...task, session: session.id })) : [],
  }));
  const waves = predictTaskBatches(plan.tasks, context.config.concurrency.development).length;
  context.events.emit({ event: 'plan-proposed', tasks: plan.tasks.length, waves });
  return viewSession(context, session.id);
}

/** Asks the person about a plan; `check` finds what is wrong with it. */
async function decidePlan(
  context: RecordContext & LockFactsReader & WithGit<Pick<GitFiles, 'ignoredPaths'>>,
  view: SessionView,
  plan: Plan,
  check: typeof listPlanProblems,
): Promise<DecisionWithPlace<PlanDecision>> {
  const { session } = view;
  const bounds = await readPlanBoundsAtCommit(context, session.base_commit);
  const problems = check(bounds, view, plan);
  const dropped = listTasksReplacedByPlan(view, plan).map(({ id }) => id);
  const unmatched = await findUnmatchedLocks(context, session.base_commit, plan);
  await warnOfIgnoredFiles(context, plan);
  const decision = await context.gates.plan({
    objective: session.objective,
    plan,
    ...predictPlanOrder(context, plan),
    estimate: session.estimate,
    problems: problems.map(describePlanProblem),
    replansLeft: maxReplans - session.replans,
    ...(session.wave === 'plan' ? {} : { quit: 'goes-on' as const }),
    ...(dropped.length === 0 ? {} : { dropped }),
    ...(unmatched.length === 0 ? {} : { unmatched }),
    check: (edited) => listProblemsBesideTasks(bounds, edited, listUnreplaceableTaskIds(view.tasks)),
    ...(view.isOurs
      ? {}
      : {
          quit: 'kept' as const,
          received: describeReceivedParts(context, view),
          agentTexts: listAgentTextsInPlan(plan.tasks),
        }),
  });
  context.events.emit({ event: 'gate', gate: 'plan', decision: decision.kind });
  if (decision.kind === 'approve' && problems.length > 0) throw invalidPlanError(problems);
  if (decision.kind === 'replan' && session.replans >= maxReplans) throw tooManyReplans();
  return decision;
}

/** Files that git ignores are in no commit: a task about such files alone would be paid for nothing. */
async function warnOfIgnoredFiles(
  { git, events }: Pick<RunContext, 'events'> & WithGit<Pick<GitFiles, 'ignoredPaths'>>,
  { tasks }: Plan,
): Promise<void> {
  const locks = [...new Set(tasks.flatMap(({ file_locks }) => file_locks))];
  const rules = await git.ignoredPaths(locks.flatMap(pathsUnder));
  for (const { id, file_locks } of tasks)
    for (const lock of file_locks) {
      const rule = pathsUnder(lock).flatMap((path) => rules.get(path) ?? [])[0];
      if (rule === undefined) continue;
      const message = `git ignores ${lock}, which ${id} locks, by ${rule}: no commit holds what an agent writes there, unless it uses git add -f.`;
      warn({ events }, message);
    }
}

/** Paths that a lock covers, of files or folders that may not be there yet. */
function pathsUnder(lock: string): readonly string[] {
  if (!hasWildcard(lock)) return [lock, `${lock}/any-file`];
  return [lock.replace(/\*+|\?|\[[^\]/]*\]|\{[^}/]*\}/g, 'any-file')];
}

function tooManyReplans(): FlameError {
  return refusedError(
    'too-many-replans',
    `The planner has made ${maxReplans} more plans. A plan you write yourself may be quicker now.`,
    ['git flame plan --from FILE'],
  );
}

async function endEmpty(context: RecordContext, id: SessionId): Promise<boolean> {
  inform(context, 'The plan is empty: there is nothing to do.');
  await decideAndRecord(context, id, ({ session }) => ({
    session: {
      next: { ...session, proposal: null, state: 'ended', wave: 'done' },
      subject: 'session: ended, the plan is empty',
    },
  }));
  return false;
}

/**
 * Has the person decide about the plan that is proposed, and does what they say; no planner is asked for another one.
 * With `shown`, only if it is exactly that plan. Resolves to whether it was approved. Throws what the gate throws where
 * no person can be asked.
 */
export async function askAboutProposedPlan(
  context: RunContext,
  id: SessionId,
  shown: readonly PlannedTask[] | null = null,
): Promise<boolean> {
  for (;;) {
    const view = await viewSession(context, id);
    const { proposal } = view.session;
    if (proposal === null) return false;
    if (shown !== null && canonicalDigest(proposal) !== canonicalDigest(shown)) return false;
    const plan = { tasks: proposal };
    const decision = await decidePlan(context, view, plan, listProposalProblems);
    switch (decision.kind) {
      case 'approve':
        return approvePlan(context, view, plan, decision);
      case 'replan':
        await recordReplanDecision(context, id, decision);
        return false;
      case 'quit':
        return recordQuitAtPlan(context, id, decision);
      case 'edit':
        await propose(context, view.session, decision.plan, true);
    }
  }
}
