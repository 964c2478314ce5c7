import { addTo } from '../../util/sort-and-group.ts';

/**
 * Items so that each comes after what it needs; among those that could come next, the first by `compare`.
 * Needs outside the list count as met. Items in a cycle or behind one come last, by `compare`; none is lost.
 */
export function sortByNeeds<T>(
  items: readonly T[],
  {
    id,
    needs,
    compare,
  }: {
    readonly id: (item: T) => string;
    readonly needs: (item: T) => readonly string[];
    readonly compare: (a: T, b: T) => number;
  },
): T[] {
  const known = new Set(items.map(id));
  const unmet = new Map<T, number>();
  const dependents = new Map<string, T[]>();
  for (const item of items) {
    const own = new Set(needs(item).filter((need) => known.has(need)));
    unmet.set(item, own.size);
    for (const need of own) addTo(dependents, need, item);
  }
  const next = items.filter((item) => unmet.get(item) === 0).sort(compare);
  const sorted: T[] = [];
  for (let item = next.shift(); item !== undefined; item = next.shift()) {
    sorted.push(item);
    for (const dependent of dependents.get(id(item)) ?? []) {
      const left = (unmet.get(dependent) ?? 0) - 1;
      unmet.set(dependent, left);
      if (left === 0) insertSorted(next, dependent, compare);
    }
  }
  const done = new Set(sorted);
  return [...sorted, ...items.filter((item) => !done.has(item)).sort(compare)];
}

function insertSorted<T>(list: T[], item: T, compare: (a: T, b: T) => number): void {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = list[middle];
    if (other !== undefined && compare(other, item) <= 0) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, item);
}
