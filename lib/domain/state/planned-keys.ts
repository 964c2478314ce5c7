import type { PlannedTask } from './plan.ts';

export type PlanKey = Exclude<keyof PlannedTask, 'id'>;

/** Planned keys of a task, which a person may change while it is not being worked on. */
export const plannedKeys: readonly PlanKey[] = [
  'title',
  'description',
  'priority',
  'cohesion_group',
  'dependencies',
  'file_locks',
  'acceptance_criteria',
  'constraints',
  'model',
  'adapter',
  'attempts',
];
