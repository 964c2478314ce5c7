import { checkPlan, type PlanProblem } from '../core/check-plan.ts';
import { estimateCost } from '../core/estimate-cost.ts';
import { planWaves } from '../core/plan-waves.ts';
import { sendBack } from '../core/send-back.ts';
import { adapterNames } from '../domain/config.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { PlanDecision } from '../domain/gates.ts';
import type { SessionId } from '../domain/ids.ts';
import type { Plan } from '../domain/plan.ts';
import type { Session } from '../domain/session.ts';
import { withGate } from './ask-for-budget.ts';
import { askPlanner } from './ask-planner.ts';
import { record, type SessionView, viewSession } from './record.ts';
import { runScript } from './run-script.ts';
import { takePlan } from './take-plan.ts';
import type { Workshop } from './workshop.ts';

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
export async function planWave(workshop: Workshop, id: SessionId, options: PlanOptions): Promise<boolean> {
  let view = await viewSession(workshop, id);
  workshop.events.emit({ event: 'wave-started', wave: 'plan', cycle: view.session.cycle + 1 });
  let proposal = options.plan ?? (view.session.proposal === null ? null : { tasks: view.session.proposal });
  for (;;) {
    proposal ??= await planFromPlanner(workshop, view, canTalk(workshop, options));
    view = await propose(workshop, view.session, proposal);
    const problems = planProblems(workshop, proposal, view.tasks);
    if (proposal.tasks.length === 0) return endEmpty(workshop, id);
    const decision = await decidePlan(workshop, view, proposal, problems);
    if (decision.kind === 'approve') return approve(workshop, id, proposal);
    if (decision.kind === 'quit') return quit(workshop, id);
    proposal = decision.kind === 'edit' ? decision.plan : null;
    if (decision.kind === 'replan') view = await noteReplan(workshop, id, decision.notes);
  }
}

function canTalk(workshop: Workshop, { wantsTalk }: PlanOptions): boolean {
  if (!wantsTalk || workshop.gates.isInteractive) return wantsTalk;
  const message = 'The planner answers at once: talking with it needs a terminal and no --decisions-file.';
  workshop.events.emit({ event: 'notice', level: 'warning', message });
  return false;
}

/** Asks the planner, and once more with the reasons when its answer can't be used; a second bad plan goes to the person. */
async function planFromPlanner(workshop: Workshop, view: SessionView, isInteractive: boolean): Promise<Plan> {
  let problems: readonly string[] = [];
  let plan: Plan | null = null;
  for (let tries = 0; tries < 2; tries += 1) {
    const answer = await askPlanner(workshop, {
      session: view.session,
      tasks: view.tasks,
      problems,
      isInteractive: isInteractive && tries === 0,
    });
    if (answer.kind === 'plan') plan = answer.plan;
    problems =
      answer.kind === 'plan'
        ? planProblems(workshop, answer.plan, view.tasks).map(describeProblem)
        : answer.problems;
    if (problems.length === 0 && plan !== null) return plan;
    workshop.events.emit({ event: 'plan-invalid', problems });
  }
  if (plan !== null) return plan;
  throw new FlameError({
    kind: 'refused',
    code: 'no-plan',
    message: 'The planner gave no usable plan, not even when told why.',
    details: problems,
    hints: ['git flame plan', 'or write it by hand: git flame plan --from FILE'],
  });
}

/** Refuses a plan that can't be approved, before anything is stored: for plans nobody could mend at the gate. */
export function requireSoundPlan(workshop: Workshop, plan: Plan, tasks: SessionView['tasks']): void {
  const problems = planProblems(workshop, plan, tasks);
  if (problems.length > 0) throw invalidPlan(problems);
}

function planProblems(workshop: Workshop, plan: Plan, tasks: SessionView['tasks']): readonly PlanProblem[] {
  return problemsBeside(workshop, plan, takenIds(tasks));
}

/** What is wrong with tasks that come beside those of these ids. */
export function problemsBeside(
  workshop: Pick<Workshop, 'config'>,
  plan: Plan,
  existing: readonly string[],
): readonly PlanProblem[] {
  const { allowed_paths: allowedPaths, blocked_paths: blockedPaths } = workshop.config.permissions;
  const rules = { allowedPaths, blockedPaths, existing };
  return [...checkPlan(plan, rules), ...adapterProblems(plan)];
}

/** Adapters are looked up by name: one that isn't there is a mistake of the plan, not of the run. */
function adapterProblems(plan: Plan): readonly PlanProblem[] {
  return plan.tasks.flatMap(({ id, adapter }) => {
    if (adapter === null || adapterNames.some((known) => known === adapter)) return [];
    return [{ task: id, message: `there is no adapter ${adapter}; there are: ${adapterNames.join(', ')}` }];
  });
}

/** A new plan may replace what is still open, and build upon the rest. */
function takenIds(tasks: SessionView['tasks']): readonly string[] {
  return tasks
    .filter(({ status }) => status === 'merged' || status === 'done' || status === 'claimed')
    .map(({ id }) => id);
}

/** A mistake of a plan in one line. */
export function describeProblem({ task, message }: PlanProblem): string {
  return task === null ? message : `${task}: ${message}`;
}

async function propose(workshop: Workshop, session: Session, plan: Plan): Promise<SessionView> {
  const { sessions } = await workshop.store.snapshot();
  const runs = sessions.flatMap(({ agents }) => agents);
  const estimate = estimateCost({ config: workshop.config, tasks: plan.tasks, runs });
  await record(workshop, session.id, ({ session: now }) => ({
    session: {
      next: { ...now, proposal: [...plan.tasks], estimate },
      subject: `session: a plan of ${plan.tasks.length} tasks is proposed`,
    },
  }));
  const waves = planWaves(plan.tasks, workshop.config.concurrency.development).length;
  workshop.events.emit({ event: 'plan-proposed', tasks: plan.tasks.length, waves });
  return viewSession(workshop, session.id);
}

async function decidePlan(
  workshop: Workshop,
  { session, tasks }: SessionView,
  plan: Plan,
  problems: readonly PlanProblem[],
): Promise<PlanDecision> {
  const decision = await workshop.gates.plan({
    objective: session.objective,
    plan,
    waves: planWaves(plan.tasks, workshop.config.concurrency.development),
    estimate: session.estimate,
    problems: problems.map(describeProblem),
    replansLeft: maxReplans - session.replans,
    check: (edited) => planProblems(workshop, edited, tasks),
  });
  workshop.events.emit({ event: 'gate', gate: 'plan', decision: decision.kind });
  if (decision.kind === 'approve' && problems.length > 0) throw invalidPlan(problems);
  if (decision.kind === 'replan' && session.replans >= maxReplans) throw tooManyReplans();
  return decision;
}

function invalidPlan(problems: readonly PlanProblem[]): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'bad-plan',
    message: `The plan has ${problems.length} ${problems.length === 1 ? 'mistake' : 'mistakes'} and can't be approved.`,
    details: problems.map(describeProblem),
    hints: ['git flame plan', 'git flame plan --from FILE'],
  });
}

function tooManyReplans(): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'too-many-replans',
    message: `The planner has tried ${maxReplans} more times; a plan written by hand may be quicker now.`,
    hints: ['git flame plan --from FILE'],
  });
}

async function approve(workshop: Workshop, id: SessionId, plan: Plan): Promise<boolean> {
  await takePlan(workshop, id, plan);
  await runScript(workshop, 'post_plan', { session: id, tasks: plan.tasks.map((task) => task.id) });
  return true;
}

async function noteReplan(workshop: Workshop, id: SessionId, notes: string): Promise<SessionView> {
  await record(workshop, id, ({ session }) => {
    const gated = withGate(session, 'plan', 'replan', workshop);
    const next = { ...sendBack(gated, notes), replans: session.replans + 1 };
    return { session: { next, subject: 'session: another plan is wanted' }, body: notes };
  });
  return viewSession(workshop, id);
}

async function quit(workshop: Workshop, id: SessionId): Promise<boolean> {
  await record(workshop, id, ({ session }) => {
    const next = {
      ...withGate(session, 'plan', 'quit', workshop),
      proposal: null,
      state: 'ended' as const,
      wave: 'done' as const,
    };
    return { session: { next, subject: 'session: ended at the plan by the project lead' } };
  });
  return false;
}

async function endEmpty(workshop: Workshop, id: SessionId): Promise<boolean> {
  workshop.events.emit({
    event: 'notice',
    level: 'info',
    message: 'The plan is empty: there is nothing to do.',
  });
  await record(workshop, id, ({ session }) => ({
    session: {
      next: { ...session, proposal: null, state: 'ended', wave: 'done' },
      subject: 'session: ended, the plan is empty',
    },
  }));
  return false;
}
