import { toObjectiveDecision, toSessionStateDecision } from '../../core/admission/make-decisions.ts';
import { sendPlanBack } from '../../core/changesets/reopen-session.ts';
import { computeCycleOfPlan } from '../../core/schedule/check-plan.ts';
import { findTransitiveDependents, readStackState } from '../../core/task/stack-state.ts';
import { dropTask } from '../../core/task/task-outcome.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { DecisionWithPlace, PlanDecision } from '../../domain/ports/gates.ts';
import type { LoggedDecision } from '../../domain/state/decision-log.ts';
import type { Plan, PlannedTask } from '../../domain/state/plan-schema.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { formatCount } from '../../util/format-figures.ts';
import { addGateDecision } from '../agents/ask-person.ts';
import { decideAndRecord, type RecordContext, type SessionView, viewSession } from '../record-changes.ts';
import { type RunContext, timestamp } from '../run-context.ts';
import { runLifecycleScript } from '../run-script.ts';

/**
 * Turns an approved plan into tasks and begins the next cycle, all in one transaction. On a re-plan the new plan
 * takes the place of what is still open; a task of the same id keeps its history.
 */
export async function turnPlanIntoTasks(
  context: RecordContext,
  id: SessionId,
  plan: Plan,
  { accepted = [], ...from }: DecisionWithPlace<{ readonly accepted?: readonly LoggedDecision[] }> = {},
): Promise<void> {
  const at = timestamp(context);
  await decideAndRecord(context, id, (view) => {
    const all = [...view.tasks, ...view.received];
    // Begun since the person was asked, by agents that go on meanwhile: it stays what it was.
    const begun = new Set<string>(all.filter(isBegun).map(({ id: one }) => one));
    const added = plan.tasks.filter((task) => !begun.has(task.id));
    const tasks = added.map((task) => makeTaskOfPlannedTask(context, { ...view, tasks: all }, task, at));
    const replaced = listTasksReplacedByPlan(view, plan);
    const gated = addGateDecision(view.session, { gate: 'plan', decision: 'approve' }, from, context);
    const next: Session = {
      ...gated,
      proposal: null,
      replan_notes: null,
      // The reasons hold for later plans too; the plan they were given for is over.
      ...(gated.sent_back === undefined ? {} : { sent_back: { ...gated.sent_back, plan: null } }),
      cycle: computeCycleOfPlan(view.session, view.tasks, plan.tasks),
      wave: 'work',
      state: 'active',
    };
    return {
      newTasks: {
        tasks,
        subject: `plan: ${formatCount(tasks.length, 'task')} approved by ${context.gates.person}`,
      },
      steps: replaced.map((task) => dropTask(task, { reason: 'replaced by a new plan' })),
      session: { next, subject: `session: cycle ${next.cycle} begins` },
      accepted: [...accepted, toSessionStateDecision(next)],
    };
  });
}

/** The tasks that are dropped where a plan is approved. */
export function listTasksReplacedByPlan(
  { session, tasks, received }: Pick<SessionView, 'session' | 'tasks' | 'received'>,
  plan: Plan,
): readonly Task[] {
  const planned = new Set(plan.tasks.map(({ id }) => id));
  const all = [...tasks, ...received];
  // Before the first plan there are only tasks that a person added by hand: no plan was to replace them.
  const open = session.cycle === 0 ? [] : all.filter(isTaskReplaceable);
  return withWaiting(
    open.filter((task) => !planned.has(task.id)),
    all,
  );
}

function isBegun({ status }: Task): boolean {
  return status === 'claimed' || status === 'done' || status === 'merged';
}

/** Whether a new plan may change or drop it. */
export function isTaskReplaceable({ status }: Task): boolean {
  return status === 'pending' || status === 'requeued' || status === 'failed' || status === 'blocked';
}

/** Tasks that wait for replaced ones to be done again would wait for ever. */
function withWaiting(replaced: readonly Task[], tasks: readonly Task[]): readonly Task[] {
  const stackState = readStackState(tasks);
  const ids = replaced.map(({ id }) => id);
  const through = findTransitiveDependents(
    tasks.filter((task) => replaced.includes(task) || stackState.waits(task)),
    ids,
  );
  return [...replaced, ...tasks.filter(({ id }) => through.has(id))];
}

/** A planned task as it is stored; one of the same id keeps its history. */
export function makeTaskOfPlannedTask(
  context: { readonly gates: Pick<RunContext['gates'], 'person'> },
  view: { readonly session: Pick<Session, 'id' | 'base_commit'>; readonly tasks: readonly Task[] },
  planned: PlannedTask,
  at: string,
): Task {
  const before = view.tasks.find(({ id }) => id === planned.id);
  return {
    v: 1,
    rev: before?.rev ?? 1,
    id: planned.id,
    session: view.session.id,
    title: planned.title,
    description: planned.description,
    status: 'pending',
    role: 'worker',
    agent_id: null,
    priority: planned.priority,
    cohesion_group: planned.cohesion_group,
    dependencies: [...planned.dependencies],
    file_locks: [...planned.file_locks],
    locks_at: view.session.base_commit,
    worktree: null,
    branch: before?.branch ?? null,
    commit: null,
    start_commit: null,
    retry_count: 0,
    not_before: null,
    result: { status: null, notes: '', issues: [] },
    history: before === undefined ? [] : [...before.history],
    model: planned.model,
    adapter: planned.adapter,
    ...(planned.attempts === undefined ? {} : { attempts: [...planned.attempts] }),
    acceptance_criteria: [...planned.acceptance_criteria],
    constraints: [...planned.constraints],
    reason: null,
    created_by: context.gates.person,
    claimed_by: null,
    claimed_host: null,
    created_at: before?.created_at ?? at,
    updated_at: at,
    claimed_at: null,
    ...(before?.claim === undefined ? {} : { claim: before.claim }),
  };
}

/** Takes an approved plan, and runs the person's script after it. */
export async function approvePlan(
  context: RecordContext & Pick<RunContext, 'machine' | 'root'>,
  { session, isOurs }: SessionView,
  plan: Plan,
  { where }: DecisionWithPlace<unknown>,
): Promise<boolean> {
  const { id } = session;
  const accepted = isOurs ? [] : [toObjectiveDecision(session)];
  await turnPlanIntoTasks(context, id, plan, { accepted, ...(where === undefined ? {} : { where }) });
  await runLifecycleScript(context, 'post_plan', { session: id, tasks: plan.tasks.map((task) => task.id) });
  return true;
}

export async function recordReplanDecision(
  context: RecordContext,
  id: SessionId,
  decision: DecisionWithPlace<Extract<PlanDecision, { kind: 'replan' }>>,
): Promise<SessionView> {
  const { notes } = decision;
  await decideAndRecord(context, id, ({ session }) => {
    const gated = addGateDecision(session, { gate: 'plan', decision: 'replan' }, decision, context);
    const next = { ...sendPlanBack(gated, notes), replans: session.replans + 1 };
    return { session: { next, subject: 'session: plan sent back' }, body: notes };
  });
  return viewSession(context, id);
}

export async function recordQuitAtPlan(
  context: RecordContext,
  id: SessionId,
  from: DecisionWithPlace<unknown>,
): Promise<boolean> {
  await decideAndRecord(context, id, ({ session }) => {
    const gated = {
      ...addGateDecision(session, { gate: 'plan', decision: 'quit' }, from, context),
      proposal: null,
    };
    // A proposal beside approved work is refused; the work goes on.
    if (session.wave !== 'plan') return { session: { next: gated, subject: 'session: the newer proposal refused' } };
    const next = { ...gated, state: 'ended' as const, wave: 'done' as const };
    return { session: { next, subject: 'session: ended at the plan gate' } };
  });
  return false;
}
