import type { PlannedTask } from '../../domain/state/plan.ts';
import type { Task } from '../../domain/state/task.ts';
import { type PlanKey, plannedKeys } from '../../domain/state/task-facts.ts';

/** Planned parts of a task, which a person may change while no agent works on it. */
export type TaskPlan = PlannedTask;

export function planOf(task: Task): TaskPlan {
  const { id } = task;
  const plan: Partial<Record<PlanKey, unknown>> = {};
  for (const key of plannedKeys) plan[key] = task[key];
  return { id, ...(plan as Pick<Task, PlanKey>) };
}

/** The keys in which two plans of a task differ. */
export function planChanges(before: TaskPlan, after: TaskPlan): readonly PlanKey[] {
  return plannedKeys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}

/**
 * Applies the changes a person made to a task since `before`; other changes made meanwhile stay. `clashes`: keys that
 * another person or process changed differently at the same time.
 */
export function applyEdit(
  task: Task,
  before: TaskPlan,
  after: TaskPlan,
): { readonly task: Task; readonly changed: readonly PlanKey[]; readonly clashes: readonly PlanKey[] } {
  const wanted = planChanges(before, after);
  const now = planOf(task);
  const others = planChanges(before, now);
  const changed = wanted.filter((key) => JSON.stringify(now[key]) !== JSON.stringify(after[key]));
  const patch = Object.fromEntries(changed.map((key) => [key, after[key]]));
  // Attempts made for other texts don't count for these.
  const anew = changed.length === 0 ? {} : Object.fromEntries([['tries', undefined]]);
  return {
    task: { ...task, ...patch, ...anew },
    changed,
    clashes: changed.filter((key) => others.includes(key)),
  };
}
