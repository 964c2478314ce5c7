import { requireCycleLeft } from '../../core/changesets/reopen-session.ts';
import type { PlanProblem } from '../../core/schedule/check-plan.ts';
import { cycleOfPlan } from '../../core/schedule/cycle-of-plan.ts';
import { estimateCost } from '../../core/schedule/estimate-cost.ts';
import { changesetsOfCycle } from '../../core/schedule/next-action.ts';
import { planChanges, planOf } from '../../core/task/edit-task.ts';
import { badPlan } from '../../domain/bad-plan.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { PlannedTask } from '../../domain/state/plan.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import { formatCount } from '../../util/format-amount.ts';
import {
  describeProblem,
  type PlanBounds,
  planProblems,
  problemsBeside,
  readBounds,
  takenIds,
} from '../plan-problems.ts';
import { record, type SessionView, viewSession } from '../record.ts';
import type { Workshop } from '../workshop.ts';
import { alreadyCompleted, refusal, sessionEnded, sessionStopped } from './refusals.ts';

/** What came of a change of the plan that is proposed. */
export interface Proposed {
  /** Ids that are new or asked otherwise now; none: it was all there already. */
  readonly changed: readonly string[];
  /** How many tasks wait for the lead's word, none where all that is open is to go; null: nothing waits. */
  readonly waiting: number | null;
}

/**
 * Adds tasks to the plan that is proposed to the person, or changes them; what is open and approved stays part of it.
 * Nothing starts by it. The same tasks again change nothing. Throws FlameErrors `bad-plan`, `id-taken`,
 * `too-many-tasks`, `completed`, `session-ended`.
 */
export function proposeTasks(
  workshop: Workshop,
  id: SessionId,
  { tasks, by }: { readonly tasks: readonly PlannedTask[]; readonly by: AgentId },
): Promise<Proposed> {
  requireOneEach(tasks);
  return changePlan(workshop, id, by, (view) => {
    const known = new Map<string, PlannedTask>(planNow(view).map((task) => [task.id, task]));
    const changed = tasks.filter((task) => {
      const before = known.get(task.id) ?? settledPlan(view, task);
      // Adapter and model are a person's word: they stay what they are.
      return before === null || planChanges(before, withChoices(before, task)).length > 0;
    });
    for (const task of changed) known.set(task.id, withChoices(known.get(task.id) ?? null, task));
    return { plan: [...known.values()], changed: changed.map((task) => task.id) };
  });
}

/**
 * Takes tasks out of the plan that is proposed. Those that were approved are dropped once the person approves the plan
 * without them. Throws FlameErrors `no-task`, `task-not-open`, and what proposeTasks throws.
 */
export function proposeWithout(
  workshop: Workshop,
  id: SessionId,
  { ids, by }: { readonly ids: readonly string[]; readonly by: AgentId },
): Promise<Proposed> {
  return changePlan(workshop, id, by, (view) => {
    const plan = planNow(view);
    const gone = new Set(ids);
    for (const one of gone) requireOpen(view, plan, one);
    return { plan: plan.filter((task) => !gone.has(task.id)), changed: ids };
  });
}

/** What the person was or will be asked about: the proposal, or what is approved and not begun. */
export function planNow({ session, tasks }: Pick<SessionView, 'session' | 'tasks'>): readonly PlannedTask[] {
  const begun = new Set<string>(takenIds(tasks));
  const proposed = session.proposal?.filter((task) => !begun.has(task.id));
  return proposed ?? tasks.filter(isReplaceable).map(planOf);
}

/** Ids of tasks that were approved and that the plan which waits now asks otherwise, or leaves out: none of them begins before it is decided. */
export function askedOtherwise({
  session,
  tasks,
}: Pick<SessionView, 'session' | 'tasks'>): ReadonlySet<string> {
  if (session.proposal === null) return new Set();
  const proposed = new Map<string, PlannedTask>(session.proposal.map((task) => [task.id, task]));
  const isOther = (task: Task): boolean => {
    const now = proposed.get(task.id);
    return now === undefined || planChanges(planOf(task), now).length > 0;
  };
  return new Set(tasks.filter((task) => isReplaceable(task) && isOther(task)).map(({ id }) => id));
}

function isReplaceable({ status }: Task): boolean {
  return status === 'pending' || status === 'requeued' || status === 'failed' || status === 'blocked';
}

function withChoices(before: PlannedTask | null, task: PlannedTask): PlannedTask {
  const { attempts: _, ...rest } = task;
  const attempts = before?.attempts === undefined ? {} : { attempts: before.attempts };
  return { ...rest, model: before?.model ?? null, adapter: before?.adapter ?? null, ...attempts };
}

/** null: there is no such task. The plan of one that is begun or over, which can't be asked otherwise any more. */
function settledPlan({ tasks, received }: SessionView, planned: PlannedTask): PlannedTask | null {
  const task = [...tasks, ...received].find(({ id }) => id === planned.id);
  if (task === undefined || (isReplaceable(task) && !received.includes(task))) return null;
  const plan = planOf(task);
  if (planChanges(plan, withChoices(plan, planned)).length === 0) return plan;
  throw refusal({
    code: 'id-taken',
    message: `There is a task ${planned.id} already, and it is ${task.status}.`,
    next: 'Choose another id; what is done is sent back with reject_task',
  });
}

function requireOpen(view: SessionView, plan: readonly PlannedTask[], id: string): void {
  if (plan.some((task) => task.id === id)) return;
  const task = view.tasks.find((one) => one.id === id);
  throw refusal({
    code: task === undefined ? 'no-task' : 'task-not-open',
    message:
      task === undefined
        ? `There is no task ${JSON.stringify(id.slice(0, 100))} in this session.`
        : `${id} is ${task.status}: it can't be taken out of the plan.`,
    next:
      task?.status === 'done' && task.result.status === 'fail'
        ? 'reject_task sends it back; where that is used up the lead decides: git flame validate'
        : 'get_status names the tasks there are',
  });
}

interface Changed {
  readonly plan: readonly PlannedTask[];
  readonly changed: readonly string[];
}

async function changePlan(
  workshop: Workshop,
  id: SessionId,
  by: AgentId,
  change: (view: SessionView) => Changed,
): Promise<Proposed> {
  const { sessions } = await workshop.store.snapshot();
  const runs = sessions.flatMap(({ agents }) => agents);
  const { session: now } = await viewSession(workshop, id);
  const bounds = await readBounds(workshop, now.base_commit);
  let proposed: Proposed = { changed: [], waiting: null };
  await record(workshop, id, (view) => {
    requireLeading(view.session);
    const { plan, changed } = change(view);
    const { session } = view;
    const proposal = changed.length === 0 ? session.proposal : proposalOf(view, plan);
    proposed = { changed, waiting: proposal?.length ?? null };
    if (changed.length === 0) return null;
    requireFew(workshop, plan);
    refuse(planProblems({ origins: workshop.origins, ...bounds }, view, { tasks: plan }));
    const isNext = session.cycle > 0 && cycleOfPlan(session, view.tasks, plan) > session.cycle;
    if (isNext) requireCycleLeft(session, workshop.config.limits.max_wave_cycles);
    const estimate = estimateCost({ config: workshop.config, tasks: plan, runs });
    const next: Session = { ...session, proposal, estimate };
    const subject = `session: ${by} proposes a plan of ${formatCount(plan.length, 'task')}`;
    return { session: { next, subject }, actor: by };
  });
  if (proposed.changed.length === 0) return proposed;
  for (const task of askedOtherwise(await viewSession(workshop, id))) workshop.run.assigned?.delete(task);
  workshop.events.emit({ event: 'plan-proposed', tasks: proposed.waiting ?? 0, waves: 1 });
  return proposed;
}

/** Throws where a model that leads has nothing to change any more. */
export function requireLeading(session: Session): void {
  if (session.state === 'ended') throw sessionEnded(session.id);
  if (session.state === 'stopped') throw sessionStopped(session.id);
  const waits = changesetsOfCycle(session).some(({ state }) => state === 'waiting' || state === 'approved');
  if (waits) throw alreadyCompleted();
}

/** Throws FlameErrors `bad-plan`, `too-many-tasks` for the first tasks of a session that is still to begin. */
export function requireSoundTasks(bounds: PlanBounds, plan: readonly PlannedTask[]): void {
  requireFew(bounds, plan);
  refuse(problemsBeside(bounds, { tasks: plan }, []));
}

/** Of two tasks with one id the second would take the place of the first, unseen. */
function requireOneEach(tasks: readonly PlannedTask[]): void {
  const ids = tasks.map(({ id }) => id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  refuse([...new Set(twice)].map((task) => ({ task, message: 'is there twice' })));
}

function requireFew({ config }: Pick<Workshop, 'config'>, plan: readonly PlannedTask[]): void {
  const { max_tasks: most } = config.queen;
  if (plan.length <= most) return;
  throw refusal({
    code: 'too-many-tasks',
    message: `The plan would have ${plan.length} open tasks, and ${most} are allowed (queen.max_tasks).`,
    next: 'Propose fewer, larger tasks, or the rest once these are done',
  });
}

function refuse(problems: readonly PlanProblem[]): void {
  if (problems.length === 0) return;
  throw badPlan(`The plan has ${formatCount(problems.length, 'mistake')}, so nothing was changed.`, {
    details: problems.map(describeProblem),
    hints: ['Mend these tasks and call create_tasks again'],
    hintsFor: 'model',
  });
}

/** What is proposed: nothing, where it is what was approved, or where nothing was approved yet and nothing is left. */
function proposalOf({ session, tasks }: SessionView, plan: readonly PlannedTask[]): Session['proposal'] {
  const approved = tasks.filter(isReplaceable).map(planOf);
  if (session.cycle > 0 && canonicalDigest(approved) === canonicalDigest(plan)) return null;
  if (plan.length > 0) return [...plan];
  if (session.cycle === 0) return null;
  // What is done goes on without them.
  if (tasks.some(({ status }) => status === 'done' || status === 'claimed')) return [];
  throw refusal({
    code: 'empty-plan',
    message:
      'Nothing would be left to do and nothing is done: an empty plan is nothing the lead could approve.',
    next: 'fail with the reason, or create_tasks for what is to be done instead',
  });
}

/** How the plan stands: what waits for the person, and whether anything was approved yet. */
export async function planStanding(
  workshop: Workshop,
  id: SessionId,
): Promise<{ readonly waiting: number | null; readonly isApproved: boolean }> {
  const { session, tasks } = await viewSession(workshop, id);
  return { waiting: session.proposal?.length ?? null, isApproved: session.cycle > 0 && tasks.length > 0 };
}
