import { listDecisionsOfManualTask, toAdapterDecision } from '../core/admission/make-decisions.ts';
import { checkPlan, type PlanProblem } from '../core/schedule/check-plan.ts';
import { estimateCost } from '../core/schedule/estimate-cost.ts';
import { findTransitiveDependents } from '../core/task/stack-state.ts';
import { applyTaskEdit, listChangedPlanKeys, pickTaskPlan, type TaskPlan } from '../core/task/task-keys.ts';
import { changedConcurrentlyError } from '../domain/concurrency-errors.ts';
import { listUnreadablePaths } from '../domain/config/hidden-paths.ts';
import { adapterNames, explainForeignModel, listExampleModels } from '../domain/config/known-clis.ts';
import { chooseAdapterAndModel, isAdapterOffered } from '../domain/config/role-adapter-and-model.ts';
import { type FlameError, refusedError } from '../domain/flame-error.ts';
import type { ObjectId, SessionId } from '../domain/ids.ts';
import { badPlanError, badTaskError } from '../domain/input-errors.ts';
import type { Snapshot } from '../domain/ports/store-port.ts';
import type { Plan } from '../domain/state/plan-schema.ts';
import { expandTaskAttempts, type PlannedTaskKey } from '../domain/state/task-facts.ts';
import type { Task } from '../domain/state/task-schema.ts';
import { explainUnwritableLock } from '../policy/judge-lock.ts';
import { listAgentWorktreeFolders } from '../policy/protected-places.ts';
import { formatCount } from '../util/format-figures.ts';
import { type LockFacts, type LockFactsReader, readPlanLockFacts, whyLockLeadsElsewhere } from './lock-paths.ts';
import {
  decideAndRecord,
  type RecordContext,
  requireTaskInView,
  type SessionView,
  viewSession,
} from './record-changes.ts';
import type { RunContext } from './run-context.ts';

/** Bounds of a plan: the configuration, and the commit that it is for. */
export interface PlanBounds extends Pick<RunContext, 'config' | 'decided'> {
  readonly lockFacts: LockFacts;
}

export async function readPlanBoundsAtCommit(
  context: Pick<RunContext, 'config' | 'decided'> & LockFactsReader,
  commit: ObjectId,
): Promise<PlanBounds> {
  const { config, decided } = context;
  return { config, decided, lockFacts: await readPlanLockFacts(context, commit) };
}

/** Estimates what a plan costs, by the configuration and what agents cost before. */
export function estimatePlanCost(
  { config }: Pick<RunContext, 'config'>,
  { sessions }: Pick<Snapshot, 'sessions'>,
  tasks: Plan['tasks'],
): ReturnType<typeof estimateCost> {
  return estimateCost({ config, tasks, runs: sessions.flatMap(({ agents }) => agents) });
}

/** Lists problems of a plan beside the existing tasks. */
export function listPlanProblems(
  bounds: PlanBounds,
  { session, tasks }: Pick<SessionView, 'session' | 'tasks'>,
  plan: Plan,
): readonly PlanProblem[] {
  return [
    ...listProblemsBesideTasks(bounds, plan, listUnreplaceableTaskIds(tasks)),
    ...findAdaptersNotOffered(bounds, session.id, plan),
  ];
}

/** Problems of a plan that waited for a decision; tasks begun meanwhile, exactly as they are there, are none. */
export function listProposalProblems(
  bounds: PlanBounds,
  view: Pick<SessionView, 'session' | 'tasks'>,
  plan: Plan,
): readonly PlanProblem[] {
  const taken = new Set<string>(listUnreplaceableTaskIds(view.tasks));
  const begun = new Map(view.tasks.filter(({ id }) => taken.has(id)).map((task) => [task.id, pickTaskPlan(task)]));
  const open = plan.tasks.filter((task) => {
    const known = begun.get(task.id);
    return known === undefined || listChangedPlanKeys(known, task).length > 0;
  });
  return listPlanProblems(bounds, view, { tasks: open });
}

/** An adapter that the configuration doesn't offer is for the person to choose, in a plan or a task of their own. */
export function findAdaptersNotOffered(
  context: Pick<RunContext, 'config' | 'decided'>,
  session: SessionId,
  { tasks }: Plan,
): readonly PlanProblem[] {
  return choicesIn(tasks).flatMap(({ id, adapter }) => {
    if (adapter === null || isAdapterOffered(context.config, 'worker', adapter)) return [];
    if (context.decided.has(toAdapterDecision({ session, id, adapter }))) return [];
    const message = `asks for the adapter ${adapter}, which this configuration does not offer (roles.worker.adapter, adapters)`;
    return [{ task: id, message }];
  });
}

/** Lists problems of tasks that come beside those of these ids. */
export function listProblemsBesideTasks(
  bounds: PlanBounds,
  plan: Plan,
  existing: readonly string[],
): readonly PlanProblem[] {
  const { permissions, project } = bounds.config;
  const { allowed_paths: allowedPaths, blocked_paths } = permissions;
  const places = {
    blocked_paths,
    hidden_paths: [...listUnreadablePaths(permissions)],
    protected_paths: [...listAgentWorktreeFolders(project.worktree_dir)],
  };
  const refuseLock = (lock: string): string | null =>
    explainUnwritableLock(places, lock) ?? whyLockLeadsElsewhere(bounds.lockFacts, lock);
  const rules = { allowedPaths, refuseLock, existing };
  return [...checkPlan(plan, rules), ...adapterProblems(plan), ...modelProblems(bounds, plan)];
}

/** Adapters are looked up by name: one that isn't there is a mistake of the plan, not of the run. */
function adapterProblems(plan: Plan): readonly PlanProblem[] {
  return choicesIn(plan.tasks).flatMap(({ id, adapter }) => {
    if (adapter === null || adapterNames.some((known) => known === adapter)) return [];
    return [{ task: id, message: `names an unknown adapter, ${adapter} (known: ${adapterNames.join(', ')})` }];
  });
}

/** The tasks as they are worked on, each once for each choice of adapter and model. */
function choicesIn(tasks: Plan['tasks']): Plan['tasks'] {
  return tasks.flatMap((task) => {
    const choices = new Map(expandTaskAttempts(task).map((one) => [`${one.adapter} ${one.model}`, one]));
    return [...choices.values()];
  });
}

/** A model that is named for another CLI than the task's would be refused only once an agent asked for it. */
function modelProblems({ config }: Pick<RunContext, 'config'>, { tasks }: Plan): readonly PlanProblem[] {
  return choicesIn(tasks).flatMap((task) => {
    if (task.adapter === null && task.model === null) return [];
    const { adapter, model } = chooseAdapterAndModel(config, 'worker', task);
    const why = explainForeignModel(adapter, model, config.models.prices);
    if (why === null) return [];
    const message = `${why}, and would run with ${adapter}: name one such as ${listExampleModels(adapter)}`;
    return [{ task: task.id, message }];
  });
}

/** A new plan may replace what is still open, and build upon the rest. */
export function listUnreplaceableTaskIds(tasks: SessionView['tasks']): readonly string[] {
  return tasks
    .filter(({ status }) => status === 'merged' || status === 'done' || status === 'claimed')
    .map(({ id }) => id);
}

/** A mistake of a plan in one line. */
export function describePlanProblem({ task, message }: PlanProblem): string {
  return task === null ? message : `${task}: ${message}`;
}

/** The refusal of a plan with mistakes. */
export function invalidPlanError(problems: readonly PlanProblem[]): FlameError {
  return badPlanError(`The plan has ${formatCount(problems.length, 'mistake')} and can't be approved.`, {
    details: problems.map(describePlanProblem),
    hints: ['git flame plan', 'git flame plan --from FILE'],
  });
}

interface EditedTask {
  readonly task: Task;
  readonly changed: readonly PlannedTaskKey[];
}

/**
 * Changes the plan of a task that no agent works on. Other changes made to it meanwhile stay; where both
 * changed the same key, nothing changes. Throws FlameErrors `task-not-editable`, `bad-task`,
 * `changed-meanwhile`.
 */
export async function editTask(
  context: RecordContext & LockFactsReader,
  session: SessionId,
  edit: { readonly before: TaskPlan; readonly after: TaskPlan },
): Promise<EditedTask> {
  let changed: readonly PlannedTaskKey[] = [];
  const { before, after } = edit;
  const bounds = await readPlanBoundsOfSession(context, session);
  let task: Task | undefined;
  const done = await decideAndRecord(context, session, (view) => {
    const now = requireTaskInView(view, before.id);
    requireEditableTask(now);
    const result = applyTaskEdit(now, before, after);
    ({ changed, task } = result);
    if (result.clashes.length > 0) throw clash(now, result.clashes);
    if (changed.length === 0) return null;
    const problems = listTaskEditProblems(bounds, result.task, view.tasks);
    if (problems.length > 0) throw badTaskEditError(now, problems, `git flame task edit ${now.id}`);
    const subject = `${now.id}: ${changed.join(', ')} changed by ${context.gates.person}`;
    const step = { task: result.task, subject, transition: `${now.status} -> ${now.status}` };
    return { steps: [step], accepted: listDecisionsOfManualTask(result.task) };
  });
  if (task === undefined) throw new Error('no decision was recorded');
  return { task: done.kind === 'done' ? requireTaskInView(done.view, before.id) : task, changed };
}

/** Bounds that tasks of a session must keep to. */
export async function readPlanBoundsOfSession(
  context: RecordContext & LockFactsReader,
  id: SessionId,
): Promise<PlanBounds> {
  const { session } = await viewSession(context, id);
  return readPlanBoundsAtCommit(context, session.base_commit);
}

/** Lists problems of a task beside the others as they are. */
export function listTaskEditProblems(bounds: PlanBounds, task: Task, tasks: readonly Task[]): readonly string[] {
  const others = tasks.filter(({ id }) => id !== task.id).map(({ id }) => id);
  const problems = listProblemsBesideTasks(bounds, { tasks: [pickTaskPlan(task)] }, others).map(describePlanProblem);
  const dependents = findTransitiveDependents(tasks, [task.id]);
  const circular = task.dependencies.filter((id) => dependents.has(id));
  return [...problems, ...circular.map((id) => `${task.id}: depends on ${id}, which depends on it`)];
}

/** Throws FlameError `task-not-editable` for a task that is being worked on, or was. */
export function requireEditableTask({ id, status }: Task): void {
  if (status === 'pending' || status === 'blocked' || status === 'requeued' || status === 'failed') return;
  throw refusedError(
    'task-not-editable',
    `${id} is ${status}, so its text can no longer be changed.`,
    status === 'claimed' ? [`git flame task release ${id}`] : [`git flame task show ${id}`],
  );
}

function clash({ id }: Task, keys: readonly PlannedTaskKey[]): FlameError {
  return changedConcurrentlyError(
    `Another command changed ${keys.join(' and ')} of ${id} at the same time, so your edit was not saved.`,
    [`git flame task show ${id}`, `git flame task edit ${id}`],
  );
}

/** A FlameError `bad-task`; `again` is how it is tried again. */
export function badTaskEditError({ id }: Task, problems: readonly string[], again: string): FlameError {
  const mistakes = problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`;
  return badTaskError(`${id} was not changed: it would have ${mistakes}.`, problems, again);
}
