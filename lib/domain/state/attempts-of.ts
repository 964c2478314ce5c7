import type { AttemptChoice } from './tries.ts';

type Asked = AttemptChoice & { readonly attempts?: readonly AttemptChoice[] | undefined };

/** A task as each of its attempts is made: with the adapter and model of that one. A task of one attempt is its own. */
export function attemptsOf<T extends Asked>(task: T): readonly T[] {
  if (task.attempts === undefined) return [task];
  return task.attempts.map(({ adapter, model }) => ({
    ...task,
    adapter: adapter ?? task.adapter,
    // Another CLI has other models.
    model: model ?? (adapter === null || adapter === task.adapter ? task.model : null),
  }));
}
