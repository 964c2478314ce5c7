import { type Lockable, pickBatch } from './pick-batch.ts';

interface Planned extends Lockable {
  readonly dependencies: readonly string[];
}

/**
 * The batches in which the scheduler would run these tasks if all took equally long, as ids: for display.
 * Dependencies outside the list count as fulfilled; tasks of a dependency cycle are in no batch.
 */
export function planWaves(tasks: readonly Planned[], limit: number): readonly (readonly string[])[] {
  const waves: string[][] = [];
  let open = [...tasks];
  while (open.length > 0) {
    const waiting = new Set(open.map((task) => task.id));
    const ready = open.filter((task) => !task.dependencies.some((id) => waiting.has(id)));
    const { selected } = pickBatch({ ready, running: [], limit: Math.max(1, limit) });
    if (selected.length === 0) return waves;
    const taken = new Set<Planned>(selected);
    waves.push(selected.map((task) => task.id));
    open = open.filter((task) => !taken.has(task));
  }
  return waves;
}
