import { requireCycleLeft } from '../../core/changesets/reopen-session.ts';
import { computeCycleOfPlan, type PlanProblem } from '../../core/schedule/check-plan.ts';
import { listChangesetsOfCycle } from '../../core/schedule/next-action.ts';
import { listChangedPlanKeys, pickTaskPlan } from '../../core/task/task-keys.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import { badPlanError, noTaskError } from '../../domain/input-errors.ts';
import { isChangesetOpen } from '../../domain/state/changeset-facts.ts';
import type { PlannedTask } from '../../domain/state/plan-schema.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import { formatCount } from '../../util/format-figures.ts';
import { isTaskReplaceable } from '../plan/turn-plan-into-tasks.ts';
import {
  describePlanProblem,
  estimatePlanCost,
  listPlanProblems,
  listProblemsBesideTasks,
  listUnreplaceableTaskIds,
  type PlanBounds,
  readPlanBoundsAtCommit,
} from '../plan-problems.ts';
import { decideAndRecord, type SessionView, viewSession } from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';
import {
  alreadyHandedOverError,
  failedTaskHint,
  leadToolError,
  sessionEndedError,
  sessionStoppedError,
} from './lead-tool-errors.ts';

/**
 * Adds tasks to the plan that is proposed to the person, or changes them; what is open and approved stays part of it.
 * Nothing starts by it. The same tasks again change nothing. Resolves to the ids that are new or changed. Throws
 * FlameErrors `bad-plan`, `id-taken`, `too-many-tasks`, `completed`, `session-ended`.
 */
export function proposeTasks(
  context: RunContext,
  id: SessionId,
  { tasks, by }: { readonly tasks: readonly PlannedTask[]; readonly by: AgentId },
): Promise<readonly string[]> {
  // Of two tasks with one id the second would replace the first, unseen.
  const ids = tasks.map((task) => task.id);
  const twice = new Set(ids.filter((one, index) => ids.indexOf(one) !== index));
  refuse([...twice].map((task) => ({ task, message: 'appears twice' })));
  return changePlan(context, id, by, (view) => {
    const known = new Map<string, PlannedTask>(planNow(view).map((task) => [task.id, task]));
    const changed = tasks.filter((task) => {
      const before = known.get(task.id) ?? settledPlan(view, task);
      return before === null || isOther(before, task);
    });
    for (const task of changed) known.set(task.id, withChoices(known.get(task.id) ?? null, task));
    return { plan: [...known.values()], changed: changed.map((task) => task.id) };
  });
}

/**
 * Takes tasks out of the plan that is proposed. Those that were approved are dropped once the person approves the plan
 * without them. Resolves to the ids. Throws FlameErrors `no-task`, `task-not-open`, and what proposeTasks throws.
 */
export function proposeTaskRemoval(
  context: RunContext,
  id: SessionId,
  { ids, by }: { readonly ids: readonly string[]; readonly by: AgentId },
): Promise<readonly string[]> {
  return changePlan(context, id, by, (view) => {
    const plan = planNow(view);
    for (const one of ids) if (!plan.some((task) => task.id === one)) throw notOpen(view, one);
    return { plan: plan.filter((task) => !ids.includes(task.id)), changed: ids };
  });
}

/** Plan the person was or will be asked about: the proposal, or approved tasks that have not begun. */
function planNow({ session, tasks }: Pick<SessionView, 'session' | 'tasks'>): readonly PlannedTask[] {
  const begun = new Set<string>(listUnreplaceableTaskIds(tasks));
  const proposed = session.proposal?.filter((task) => !begun.has(task.id));
  return proposed ?? tasks.filter(isTaskReplaceable).map(pickTaskPlan);
}

/** Ids of approved tasks that the proposed plan changes or leaves out: none of them begins before it is decided. */
export function listTasksInProposedChange({
  session,
  tasks,
}: Pick<SessionView, 'session' | 'tasks'>): ReadonlySet<string> {
  if (session.proposal === null) return new Set();
  const proposed = new Map<string, PlannedTask>(session.proposal.map((task) => [task.id, task]));
  const changed = tasks.filter((task) => {
    const now = proposed.get(task.id);
    return isTaskReplaceable(task) && (now === undefined || listChangedPlanKeys(pickTaskPlan(task), now).length > 0);
  });
  return new Set(changed.map(({ id }) => id));
}

function isOther(before: PlannedTask, task: PlannedTask): boolean {
  return listChangedPlanKeys(before, withChoices(before, task)).length > 0;
}

/** Adapter, model and attempts are a person's choice: they stay what they are. */
function withChoices(before: PlannedTask | null, task: PlannedTask): PlannedTask {
  const { attempts: _, ...rest } = task;
  const attempts = before?.attempts === undefined ? {} : { attempts: before.attempts };
  return { ...rest, model: before?.model ?? null, adapter: before?.adapter ?? null, ...attempts };
}

/** The plan of a task that is begun or over, which can't change any more; null: there is no such task. */
function settledPlan({ tasks, received }: SessionView, planned: PlannedTask): PlannedTask | null {
  const task = [...tasks, ...received].find(({ id }) => id === planned.id);
  if (task === undefined || (isTaskReplaceable(task) && !received.includes(task))) return null;
  const plan = pickTaskPlan(task);
  if (!isOther(plan, planned)) return plan;
  throw leadToolError({
    code: 'id-taken',
    message: `A task ${planned.id} already exists, and it is ${task.status}.`,
    next: 'Choose another id. To send back a task that is done: reject_task',
  });
}

function notOpen({ tasks }: SessionView, id: string) {
  const task = tasks.find((one) => one.id === id);
  if (task === undefined) return noTaskError(id, tasks);
  const message = `${id} is ${task.status}: it can't be taken out of the plan.`;
  const isFailed = task.status === 'done' && task.result.status === 'fail';
  const next = isFailed ? failedTaskHint : 'get_status lists the tasks';
  return leadToolError({ code: 'task-not-open', message, next });
}

async function changePlan(
  context: RunContext,
  id: SessionId,
  by: AgentId,
  change: (view: SessionView) => {
    readonly plan: readonly PlannedTask[];
    readonly changed: readonly string[];
  },
): Promise<readonly string[]> {
  const bounds = await readPlanBoundsAtCommit(context, (await viewSession(context, id)).session.base_commit);
  let changed: readonly string[] = [];
  let waiting = 0;
  await decideAndRecord(context, id, (view) => {
    const { session } = view;
    requireLeadCanChangeSession(session);
    const { plan, changed: now } = change(view);
    changed = now;
    if (changed.length === 0) return null;
    const proposal = proposalOf(view, plan);
    waiting = proposal?.length ?? 0;
    requireFew(context, plan);
    refuse(listPlanProblems(bounds, view, { tasks: plan }));
    const isNext = session.cycle > 0 && computeCycleOfPlan(session, view.tasks, plan) > session.cycle;
    if (isNext) requireCycleLeft(session, context.config.limits.max_wave_cycles);
    const estimate = estimatePlanCost(context, view.snapshot, plan);
    const next: Session = { ...session, proposal, estimate };
    const subject = `session: ${by} proposes a plan of ${formatCount(plan.length, 'task')}`;
    return { session: { next, subject }, actor: by };
  });
  if (changed.length === 0) return changed;
  for (const task of listTasksInProposedChange(await viewSession(context, id))) context.run.assigned?.delete(task);
  context.events.emit({ event: 'plan-proposed', tasks: waiting, waves: 1 });
  return changed;
}

/** Throws where a lead agent has nothing to change any more. */
export function requireLeadCanChangeSession(session: Session): void {
  if (session.state === 'ended') throw sessionEndedError(session.id);
  if (session.state === 'stopped') throw sessionStoppedError(session.id);
  if (listChangesetsOfCycle(session).some(isChangesetOpen)) throw alreadyHandedOverError();
}

/** Throws FlameErrors `bad-plan`, `too-many-tasks` for the first tasks of a session that does not exist yet. */
export function requireValidFirstTasks(bounds: PlanBounds, plan: readonly PlannedTask[]): void {
  requireFew(bounds, plan);
  refuse(listProblemsBesideTasks(bounds, { tasks: plan }, []));
}

function requireFew({ config }: Pick<RunContext, 'config'>, plan: readonly PlannedTask[]): void {
  const { max_tasks: most } = config.queen;
  if (plan.length <= most) return;
  throw leadToolError({
    code: 'too-many-tasks',
    message: `The plan would have ${plan.length} open tasks, but at most ${most} are allowed (queen.max_tasks).`,
    next: 'Propose fewer, larger tasks, or propose the rest once these are done',
  });
}

function refuse(problems: readonly PlanProblem[]): void {
  if (problems.length === 0) return;
  throw badPlanError(`The plan has ${formatCount(problems.length, 'mistake')}, so nothing was changed.`, {
    details: problems.map(describePlanProblem),
    hints: ['Correct these tasks and call create_tasks again'],
    hintsFor: 'model',
  });
}

/** The new proposal; null where it equals what was approved, or where nothing was approved yet and nothing is left. */
function proposalOf({ session, tasks }: SessionView, plan: readonly PlannedTask[]): Session['proposal'] {
  const approved = tasks.filter(isTaskReplaceable).map(pickTaskPlan);
  if (session.cycle > 0 && canonicalDigest(approved) === canonicalDigest(plan)) return null;
  if (plan.length > 0) return [...plan];
  if (session.cycle === 0) return null;
  // Done work goes on without them.
  if (tasks.some(({ status }) => status === 'done' || status === 'claimed')) return [];
  throw leadToolError({
    code: 'empty-plan',
    message: "No task would be left and none is done. The project lead can't approve an empty plan.",
    next: 'Call fail with the reason, or create_tasks for the rest',
  });
}
