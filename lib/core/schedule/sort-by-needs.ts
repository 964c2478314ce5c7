import { addToListOfKey, compareText } from '../../util/sort-and-group.ts';

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
    for (const need of own) addToListOfKey(dependents, need, item);
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

/** Order of tasks: highest priority (smallest number) first, then id. Total, so that nothing depends on input order. */
export function compareByPriority(
  a: { readonly id: string; readonly priority: number },
  b: { readonly id: string; readonly priority: number },
): number {
  return a.priority - b.priority || compareText(a.id, b.id);
}

export type NeedsGraph = ReadonlyMap<string, readonly string[]>;

/**
 * The strongly connected components of a graph (node → the nodes it needs): nodes that need each other, in
 * a cycle, are together; every other node is alone. Each is sorted, and so is the list. Needs that are no
 * nodes are ignored. Doesn't recurse: chains of any length are fine.
 */
export function findStronglyConnectedNodes(graph: NeedsGraph): readonly (readonly string[])[] {
  const reversed = reverse(graph);
  const placed = new Set<string>();
  const components = finishOrder(graph)
    .reverse()
    .map((start) => reach(reversed, start, placed).sort(compareText))
    .filter((component) => component.length > 0);
  return components.sort((a, b) => compareText(a[0] ?? '', b[0] ?? ''));
}

/** Nodes in the order in which a depth-first walk leaves them. */
function finishOrder(graph: NeedsGraph): string[] {
  const seen = new Set<string>();
  const finished: string[] = [];
  for (const root of graph.keys()) {
    const stack: { readonly node: string; next: number }[] = [];
    const enter = (node: string): void => {
      if (seen.has(node) || !graph.has(node)) return;
      seen.add(node);
      stack.push({ node, next: 0 });
    };
    enter(root);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const need = graph.get(top.node)?.[top.next];
      top.next += 1;
      if (need !== undefined) enter(need);
      else finished.push(stack.pop()?.node ?? '');
    }
  }
  return finished;
}

function reverse(graph: NeedsGraph): NeedsGraph {
  const reversed = new Map<string, string[]>([...graph.keys()].map((node) => [node, []]));
  for (const [node, needs] of graph) for (const need of needs) reversed.get(need)?.push(node);
  return reversed;
}

/** Collects the nodes that can be reached from `start` and are not placed yet, and places them. */
function reach(graph: NeedsGraph, start: string, placed: Set<string>): string[] {
  if (placed.has(start)) return [];
  placed.add(start);
  const reached = [start];
  for (const node of reached) {
    for (const next of graph.get(node) ?? []) {
      if (placed.has(next)) continue;
      placed.add(next);
      reached.push(next);
    }
  }
  return reached;
}
