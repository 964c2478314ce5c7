import type { AttemptAdapterAndModel } from './attempt-record.ts';
import type { PlannedTask } from './plan-schema.ts';

type Asked = AttemptAdapterAndModel & { readonly attempts?: readonly AttemptAdapterAndModel[] | undefined };

/** A task as each of its attempts is made: with the adapter and model of that one. A task of one attempt is its own. */
export function expandTaskAttempts<T extends Asked>(task: T): readonly T[] {
  if (task.attempts === undefined) return [task];
  return task.attempts.map(({ adapter, model }) => ({
    ...task,
    adapter: adapter ?? task.adapter,
    // Another CLI has other models.
    model: model ?? (adapter === null || adapter === task.adapter ? task.model : null),
  }));
}

export const taskStatuses = [
  'pending',
  'claimed',
  'done',
  'failed',
  'blocked',
  'requeued',
  'merged',
  'dropped',
] as const;

export type PlannedTaskKey = Exclude<keyof PlannedTask, 'id'>;

/** Planned keys of a task, which a person may change while it is not being worked on. */
export const plannedTaskKeys: readonly PlannedTaskKey[] = [
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
