import { type Chained, longestChains } from './longest-chains.ts';
import { pickBatch } from './pick-batch.ts';

/**
 * The batches in which the scheduler would run these tasks if all took equally long, as ids: for display.
 * Dependencies outside the list count as fulfilled; tasks of a dependency cycle are in no batch.
 */
export function planWaves(tasks: readonly Chained[], limit: number): readonly (readonly string[])[] {
  const waves: string[][] = [];
  const chains = longestChains(tasks);
  let open = [...tasks];
  while (open.length > 0) {
    const waiting = new Set(open.map((task) => task.id));
    const ready = open.filter((task) => !task.dependencies.some((id) => waiting.has(id)));
    const { selected } = pickBatch({ ready, running: [], limit: Math.max(1, limit), chains });
    if (selected.length === 0) return waves;
    const taken = new Set<Chained>(selected);
    waves.push(selected.map((task) => task.id));
    open = open.filter((task) => !taken.has(task));
  }
  return waves;
}
