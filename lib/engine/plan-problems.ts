import { adapterDecision } from '../core/admission/decisions.ts';
import { checkPlan, type PlanProblem } from '../core/schedule/check-plan.ts';
import { planChanges, planOf } from '../core/task/task-keys.ts';
import { badPlan } from '../domain/bad-input.ts';
import { adapterNames, exampleModels, foreignModel } from '../domain/config/agent-clis.ts';
import { unreadablePaths } from '../domain/config/cell-paths.ts';
import { isOffered, roleChoice } from '../domain/config/role-settings.ts';
import type { FlameError } from '../domain/flame-error.ts';
import type { ObjectId, SessionId } from '../domain/ids.ts';
import type { Plan } from '../domain/state/plan.ts';
import { attemptsOf } from '../domain/state/task-facts.ts';
import { judgeLock } from '../policy/judge-lock.ts';
import { worktreePlaces } from '../policy/protected-places.ts';
import { formatCount } from '../util/format-figures.ts';
import { type GroundReader, judgeDetour, type LockGround, readPlanGround } from './lock-detours.ts';
import type { SessionView } from './record.ts';
import type { Workshop } from './workshop.ts';

/** Bounds of a plan: the configuration, and the commit that it is for. */
export interface PlanBounds extends Pick<Workshop, 'config'> {
  readonly ground: LockGround;
}

export async function readBounds(
  workshop: Pick<Workshop, 'config'> & GroundReader,
  commit: ObjectId,
): Promise<PlanBounds> {
  return { config: workshop.config, ground: await readPlanGround(workshop, commit) };
}

/** Lists problems of a plan beside the existing tasks. */
export function planProblems(
  bounds: PlanBounds & Pick<Workshop, 'decided'>,
  { session, tasks }: Pick<SessionView, 'session' | 'tasks'>,
  plan: Plan,
): readonly PlanProblem[] {
  return [...problemsBeside(bounds, plan, takenIds(tasks)), ...notOffered(bounds, session.id, plan)];
}

/** Problems of a plan that waited for a decision; tasks begun meanwhile, exactly as they are there, are none. */
export function proposalProblems(
  bounds: PlanBounds & Pick<Workshop, 'decided'>,
  view: Pick<SessionView, 'session' | 'tasks'>,
  plan: Plan,
): readonly PlanProblem[] {
  const taken = new Set<string>(takenIds(view.tasks));
  const begun = new Map(view.tasks.filter(({ id }) => taken.has(id)).map((task) => [task.id, planOf(task)]));
  const open = plan.tasks.filter((task) => {
    const known = begun.get(task.id);
    return known === undefined || planChanges(known, task).length > 0;
  });
  return planProblems(bounds, view, { tasks: open });
}

/** An adapter that the configuration doesn't offer is for the person to choose, in a plan or a task of their own. */
export function notOffered(
  workshop: Pick<Workshop, 'config' | 'decided'>,
  session: SessionId,
  { tasks }: Plan,
): readonly PlanProblem[] {
  return choicesIn(tasks).flatMap(({ id, adapter }) => {
    if (adapter === null || isOffered(workshop.config, 'worker', adapter)) return [];
    if (workshop.decided.has(adapterDecision({ session, id, adapter }))) return [];
    const message = `asks for the adapter ${adapter}, which this configuration does not offer (roles.worker.adapter, adapters)`;
    return [{ task: id, message }];
  });
}

/** Lists problems of tasks that come beside those of these ids. */
export function problemsBeside(
  bounds: PlanBounds,
  plan: Plan,
  existing: readonly string[],
): readonly PlanProblem[] {
  const { permissions, project } = bounds.config;
  const { allowed_paths: allowedPaths, blocked_paths } = permissions;
  const places = {
    blocked_paths,
    hidden_paths: [...unreadablePaths(permissions)],
    protected_paths: [...worktreePlaces(project.worktree_dir)],
  };
  const refuseLock = (lock: string): string | null =>
    judgeLock(places, lock) ?? judgeDetour(bounds.ground, lock);
  const rules = { allowedPaths, refuseLock, existing };
  return [...checkPlan(plan, rules), ...adapterProblems(plan), ...modelProblems(bounds, plan)];
}

/** Adapters are looked up by name: one that isn't there is a mistake of the plan, not of the run. */
function adapterProblems(plan: Plan): readonly PlanProblem[] {
  return choicesIn(plan.tasks).flatMap(({ id, adapter }) => {
    if (adapter === null || adapterNames.some((known) => known === adapter)) return [];
    return [{ task: id, message: `there is no adapter ${adapter}; there are: ${adapterNames.join(', ')}` }];
  });
}

/** The tasks as they are worked on, each once for each choice of adapter and model. */
function choicesIn(tasks: Plan['tasks']): Plan['tasks'] {
  return tasks.flatMap((task) => {
    const choices = new Map(attemptsOf(task).map((one) => [`${one.adapter} ${one.model}`, one]));
    return [...choices.values()];
  });
}

/** A model that is named for another CLI than the task's would be refused only once an agent asked for it. */
function modelProblems({ config }: Pick<Workshop, 'config'>, { tasks }: Plan): readonly PlanProblem[] {
  return choicesIn(tasks).flatMap((task) => {
    if (task.adapter === null && task.model === null) return [];
    const { adapter, model } = roleChoice(config, 'worker', task);
    const why = foreignModel(adapter, model, config.models.prices);
    if (why === null) return [];
    const message = `${why}, and would run with ${adapter}: name one such as ${exampleModels(adapter)}`;
    return [{ task: task.id, message }];
  });
}

/** A new plan may replace what is still open, and build upon the rest. */
export function takenIds(tasks: SessionView['tasks']): readonly string[] {
  return tasks
    .filter(({ status }) => status === 'merged' || status === 'done' || status === 'claimed')
    .map(({ id }) => id);
}

/** A mistake of a plan in one line. */
export function describeProblem({ task, message }: PlanProblem): string {
  return task === null ? message : `${task}: ${message}`;
}

/** The refusal of a plan with mistakes. */
export function invalidPlan(problems: readonly PlanProblem[]): FlameError {
  return badPlan(`The plan has ${formatCount(problems.length, 'mistake')} and can't be approved.`, {
    details: problems.map(describeProblem),
    hints: ['git flame plan', 'git flame plan --from FILE'],
  });
}
