import { suggestId } from '../../domain/input-errors.ts';
import type { Plan, PlannedTask } from '../../domain/state/plan-schema.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { isLockInsideGlobs } from '../../util/path-globs.ts';
import { compareText } from '../../util/sort-and-group.ts';
import { findStronglyConnectedNodes, type NeedsGraph } from './sort-by-needs.ts';

export interface PlanProblem {
  /** null: of the plan as a whole. */
  readonly task: string | null;
  readonly message: string;
}

export interface PlanRules {
  readonly allowedPaths: readonly string[];
  /** Why no agent could write what a lock names, as the end of a sentence about it; null: nothing against it. */
  refuseLock(lock: string): string | null;
  /** Tasks the session has already: new ones may need them and can't have their ids. */
  readonly existing?: readonly string[];
}

/** Everything that is wrong with a plan, by task id; an empty plan is fine. The same plan gives the same list. */
export function checkPlan(plan: Plan, rules: PlanRules): readonly PlanProblem[] {
  const existing = new Set(rules.existing);
  const known = new Set([...existing, ...plan.tasks.map(({ id }) => id)]);
  const problems = [
    ...findRepeatedIds(plan, existing),
    ...plan.tasks.flatMap((task) =>
      [...checkDependencies(task, known), ...checkLocks(task, rules)].map((message) => ({
        task: task.id,
        message,
      })),
    ),
    ...findCycles(plan),
  ];
  return problems.sort((a, b) => compareText(a.task ?? '', b.task ?? ''));
}

function findRepeatedIds(plan: Plan, existing: ReadonlySet<string>): PlanProblem[] {
  const counts = new Map<string, number>();
  for (const { id } of plan.tasks) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].flatMap(([task, count]) => {
    if (existing.has(task)) return [{ task, message: 'the session already has a task with this id' }];
    return count > 1 ? [{ task, message: `the id is used ${count} times` }] : [];
  });
}

function checkDependencies(task: PlannedTask, known: ReadonlySet<string>): string[] {
  return [...new Set(task.dependencies)].sort(compareText).flatMap((id) => {
    if (id === task.id) return ['depends on itself'];
    if (known.has(id)) return [];
    const others = [...known].filter((one) => one !== task.id);
    return [`depends on ${id}, which doesn't exist${suggestId(id, others)}`];
  });
}

function checkLocks(task: PlannedTask, rules: PlanRules): string[] {
  if (task.file_locks.length === 0) return ['has no file_locks, so it could change no file'];
  return [...new Set(task.file_locks)].sort(compareText).flatMap((lock) => {
    const shape = checkShape(lock);
    if (shape !== null) return [`file lock ${lock} ${shape}`];
    const refused = rules.refuseLock(lock);
    if (refused !== null) return [`file lock ${lock} ${refused}`];
    return isLockInsideGlobs(lock, rules.allowedPaths) ? [] : [`file lock ${lock} is not inside allowed_paths`];
  });
}

function checkShape(lock: string): string | null {
  const segments = lock.split('/');
  if (/^(?:[/~]|[A-Za-z]:)/.test(lock)) return 'must be relative to the top of the repository';
  if (lock.includes('\\')) return 'must have / between names';
  if (segments.includes('..')) return 'must not contain ..';
  return null;
}

function findCycles(plan: Plan): PlanProblem[] {
  const graph = new Map<string, readonly string[]>();
  for (const { id, dependencies } of plan.tasks) {
    const all = [...(graph.get(id) ?? []), ...dependencies].filter((need) => need !== id);
    graph.set(id, [...new Set(all)].sort(compareText));
  }
  return findStronglyConnectedNodes(graph)
    .filter((component) => component.length > 1)
    .map((component) => {
      const cycle = shortestCycle(graph, component);
      return { task: cycle[0] ?? null, message: `dependency cycle: ${cycle.join(' -> ')}` };
    });
}

/** The shortest way from a component's first node through its needs back to it. */
function shortestCycle(graph: NeedsGraph, component: readonly string[]): string[] {
  const start = component[0] ?? '';
  const inside = new Set(component);
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const node of queue) {
    for (const need of graph.get(node) ?? []) {
      if (need === start) return [...pathTo(node, cameFrom), start];
      if (!inside.has(need) || cameFrom.has(need)) continue;
      cameFrom.set(need, node);
      queue.push(need);
    }
  }
  return [start];
}

function pathTo(node: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path = [node];
  for (let from = cameFrom.get(node); from !== undefined; from = cameFrom.get(from)) path.unshift(from);
  return path;
}

/**
 * The cycle a session is in once a plan is approved: the one it is in, where that asks for nothing that isn't pending
 * already or nothing was worked on since the plan before, else the next one.
 */
export function computeCycleOfPlan(
  { cycle, wave, gates }: Pick<Session, 'cycle' | 'wave' | 'gates'>,
  tasks: readonly Task[],
  plan: readonly Pick<PlannedTask, 'id'>[],
): number {
  if (cycle === 0 || wave === 'plan') return cycle + 1;
  const waiting = new Set<string>(tasks.filter(isWaiting).map(({ id }) => id));
  if (plan.every(({ id }) => waiting.has(id))) return cycle;
  const approved = gates.findLast(({ gate, decision }) => gate === 'plan' && decision === 'approve');
  return approved === undefined || tasks.some((task) => isWorkedOn(task, approved.at)) ? cycle + 1 : cycle;
}

function isWaiting({ status }: Task): boolean {
  return status === 'pending' || status === 'requeued';
}

/** In doubt it was: what changed at the same time counts. */
function isWorkedOn(task: Task, since: string): boolean {
  const { status, history, updated_at: at } = task;
  if (status === 'claimed' || history.some(({ timestamp }) => timestamp >= since)) return true;
  return status !== 'pending' && status !== 'dropped' && at >= since;
}
