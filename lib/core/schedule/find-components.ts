import { byText } from '../../util/sort-and-group.ts';

export type Graph = ReadonlyMap<string, readonly string[]>;

/**
 * The strongly connected components of a graph (node → the nodes it needs): nodes that need each other, in
 * a cycle, are together; every other node is alone. Each is sorted, and so is the list. Needs that are no
 * nodes are ignored. Doesn't recurse: chains of any length are fine.
 */
export function findComponents(graph: Graph): readonly (readonly string[])[] {
  const reversed = reverse(graph);
  const placed = new Set<string>();
  const components = finishOrder(graph)
    .reverse()
    .map((start) => reach(reversed, start, placed).sort(byText))
    .filter((component) => component.length > 0);
  return components.sort((a, b) => byText(a[0] ?? '', b[0] ?? ''));
}

/** Nodes in the order in which a depth-first walk leaves them. */
function finishOrder(graph: Graph): string[] {
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

function reverse(graph: Graph): Graph {
  const reversed = new Map<string, string[]>([...graph.keys()].map((node) => [node, []]));
  for (const [node, needs] of graph) for (const need of needs) reversed.get(need)?.push(node);
  return reversed;
}

/** Collects the nodes that can be reached from `start` and are not placed yet, and places them. */
function reach(graph: Graph, start: string, placed: Set<string>): string[] {
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
