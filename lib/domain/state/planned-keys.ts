import type { PlannedTask } from './plan.ts';

export type PlanKey = Exclude<keyof PlannedTask, 'id'>;

/** What is planned of a task, and what a person may change of it while it is not being worked on. */
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
