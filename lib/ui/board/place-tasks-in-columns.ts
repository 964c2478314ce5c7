/** A task and those whose work it builds on; ids that are not among the tasks are passed over. */
export interface TaskGraphNode {
  readonly id: string;
  readonly needs: readonly string[];
}

/** Where a node is drawn: columns from what needs nothing on, rows from the top, both from 0; rows may be halves. */
export interface PlacedTaskGraphNode {
  readonly id: string;
  readonly column: number;
  readonly row: number;
}

export interface PlacedTaskGraph {
  /** Nodes with edges. */
  readonly nodes: readonly PlacedTaskGraphNode[];
  /** From what is needed to who needs it; those that follow from others are left out. */
  readonly edges: readonly (readonly [string, string])[];
  /** Ids of those that neither need nor are needed, in the order given. */
  readonly alone: readonly string[];
  readonly columns: number;
  readonly rows: number;
}

const sweeps = 3;

/**
 * Places tasks in columns so that each stands right of all it needs, and near them. In a circle, which no sound plan has,
 * an edge back is passed over.
 */
export function placeTasksInColumns(given: readonly TaskGraphNode[]): PlacedTaskGraph {
  const nodes = given.map(({ id }) => id);
  const columns = columnsOf(given);
  const below = neededBy(given, columns);
  const edges = nodes.flatMap((id) => [...(below.get(id) ?? [])].map((need) => [need, id] as const));
  const joined = new Set(edges.flat());
  const drawn = nodes.filter((id) => joined.has(id));
  const rows = placeRows(drawn, columns, edges);
  const placed = drawn.map((id) => ({ id, column: columns.get(id) ?? 0, row: rows.get(id) ?? 0 }));
  return {
    nodes: placed,
    edges,
    alone: nodes.filter((id) => !joined.has(id)),
    columns: Math.max(0, ...placed.map(({ column }) => column + 1)),
    rows: Math.max(0, ...placed.map(({ row }) => row + 1)),
  };
}

/** The length of the longest way to each from what needs nothing. */
function columnsOf(given: readonly TaskGraphNode[]): ReadonlyMap<string, number> {
  const needs = new Map(given.map(({ id, needs }) => [id, needs]));
  const columns = new Map<string, number>();
  for (const { id: first } of given) {
    // By hand, for a chain of a thousand is deeper than a stack may be.
    const open: { readonly id: string; readonly left: string[] }[] = [];
    const entered = new Set<string>();
    const enter = (id: string): void => {
      entered.add(id);
      open.push({ id, left: [...(needs.get(id) ?? [])] });
    };
    if (!columns.has(first)) enter(first);
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const next = top.left.pop();
      if (next === undefined) {
        const below = (needs.get(top.id) ?? []).flatMap((id) => columns.get(id) ?? []);
        columns.set(top.id, Math.max(-1, ...below) + 1);
        open.pop();
      } else if (needs.has(next) && !columns.has(next) && !entered.has(next)) enter(next);
    }
  }
  return columns;
}

/** The dependencies of each, without those that another of its dependencies has. */
function neededBy(
  given: readonly TaskGraphNode[],
  columns: ReadonlyMap<string, number>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const columnOf = (id: string): number => columns.get(id) ?? -1;
  const direct = new Map(
    given.map(({ id, needs }) => {
      const sound = needs.filter((need) => columns.has(need) && columnOf(need) < columnOf(id));
      return [id, [...new Set(sound)].sort((a, b) => columnOf(b) - columnOf(a))];
    }),
  );
  /** All that each stands on, itself included. */
  const requirements = new Map<string, ReadonlySet<string>>();
  const reduced = new Map<string, ReadonlySet<string>>();
  const byColumn = [...direct].sort(([a], [b]) => columnOf(a) - columnOf(b));
  for (const [id, needs] of byColumn) {
    const reached = new Set<string>();
    const kept = new Set<string>();
    for (const need of needs) {
      if (reached.has(need)) continue;
      kept.add(need);
      for (const one of requirements.get(need) ?? []) reached.add(one);
    }
    requirements.set(id, reached.add(id));
    reduced.set(id, kept);
  }
  return reduced;
}

/** Each beside those it is joined to, as far as its column has room; by turns from the left and from the right. */
function placeRows(
  ids: readonly string[],
  columns: ReadonlyMap<string, number>,
  edges: readonly (readonly [string, string])[],
): ReadonlyMap<string, number> {
  const layers: string[][] = [];
  for (const id of ids) {
    const column = columns.get(id) ?? 0;
    const layer = layers[column] ?? [];
    layers[column] = layer;
    layer.push(id);
  }
  const [left, right] = [groupEdges(edges, 1), groupEdges(edges, 0)];
  const rows = new Map(layers.flatMap((layer) => layer.map((id, row) => [id, row] as const)));
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    for (const layer of layers) settle(layer, rows, left);
    for (const layer of [...layers].reverse()) settle(layer, rows, right);
  }
  for (const layer of layers) settle(layer, rows, left);
  const top = Math.min(0, ...rows.values());
  return new Map([...rows].map(([id, row]) => [id, row - top]));
}

/** The ends of edges by their other end: those at `side` 1 by who needs them. */
function groupEdges(
  edges: readonly (readonly [string, string])[],
  side: 0 | 1,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const edge of edges) {
    const [key, value] = [edge[side], edge[side === 0 ? 1 : 0]];
    const known = found.get(key) ?? [];
    found.set(key, known);
    known.push(value);
  }
  return found;
}

/** Puts a column in the order of what its nodes are joined to, none on top of another. */
function settle(layer: string[], rows: Map<string, number>, joined: ReadonlyMap<string, readonly string[]>): void {
  const wanted = new Map(
    layer.map((id) => {
      const others = joined.get(id) ?? [];
      const sum = others.reduce((total, one) => total + (rows.get(one) ?? 0), 0);
      const row = others.length === 0 ? (rows.get(id) ?? 0) : sum / others.length;
      return [id, Math.round(row * 2) / 2];
    }),
  );
  layer.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
  let free = Number.NEGATIVE_INFINITY;
  let moved = 0;
  const settled = layer.map((id) => {
    const wish = wanted.get(id) ?? 0;
    const row = Math.max(free, wish);
    free = row + 1;
    moved += row - wish;
    return [id, row] as const;
  });
  // Else each turn would push a full column further down.
  const back = Math.round((moved / layer.length) * 2) / 2;
  for (const [id, row] of settled) rows.set(id, row - back);
}
