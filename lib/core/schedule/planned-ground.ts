import type { PlannedGround } from '../../domain/ports/gates.ts';
import type { Chained } from './longest-chains.ts';
import { sharedLock } from './shared-lock.ts';

/**
 * Which tasks of a plan share files, and so build on each other's work or conflict with it, by the order in which
 * they are planned to run. Of those that are built on each other the last is named; dependencies are not.
 */
export function plannedGround(
  tasks: readonly Chained[],
  waves: readonly (readonly string[])[],
): readonly PlannedGround[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const order = waves.flat().flatMap((id) => byId.get(id) ?? []);
  // For each, itself and all below it.
  const holds = new Map<string, ReadonlySet<string>>();
  return order.flatMap((task, at) => {
    const held = new Set<string>();
    const hold = (id: string): void => {
      for (const below of holds.get(id) ?? []) held.add(below);
    };
    for (const id of task.dependencies) hold(id);
    const below: PlannedGround['below'][number][] = [];
    for (const other of order.slice(0, at).reverse()) {
      if (held.has(other.id)) continue;
      const lock = sharedLock(task, other);
      if (lock === null) continue;
      below.push({ task: other.id, lock });
      hold(other.id);
    }
    holds.set(task.id, new Set([...held, task.id]));
    return below.length === 0 ? [] : [{ task: task.id, below }];
  });
}
