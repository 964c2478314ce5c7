/** A node, and the nodes before it that it is joined to. */
interface RailNode {
  readonly id: string;
  readonly dependencies: readonly string[];
}

/**
 * Draws a graph without cycles, one line for each node in the order given, each after what it needs: a node's line
 * goes down from it until the last that needs it. Needs that don't stand before are left out.
 */
export function drawRails<Node extends RailNode>(
  nodes: readonly Node[],
  symbolOf: (node: Node) => string,
): readonly string[] {
  const left = countDependents(nodes);
  const rails: (string | null)[] = [];
  return nodes.map((node) => {
    const joined = rails.flatMap((id, column) =>
      id !== null && node.dependencies.includes(id) ? [column] : [],
    );
    const column = freeColumn(rails, Math.max(-1, ...joined) + 1);
    const ends = joined.filter((at) => {
      const id = rails[at] ?? '';
      left.set(id, (left.get(id) ?? 0) - 1);
      return left.get(id) === 0;
    });
    const line = drawLine({ rails, joined, ends, column, symbol: symbolOf(node) });
    for (const at of ends) rails[at] = null;
    if ((left.get(node.id) ?? 0) > 0) rails[column] = node.id;
    return line;
  });
}

/** How many later nodes need each. */
function countDependents(nodes: readonly RailNode[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { id, dependencies } of nodes) {
    for (const need of new Set(dependencies))
      if (counts.has(need)) counts.set(need, (counts.get(need) ?? 0) + 1);
    counts.set(id, 0);
  }
  return counts;
}

function freeColumn(rails: readonly (string | null)[], from: number): number {
  let column = from;
  while (rails[column] !== undefined && rails[column] !== null) column += 1;
  return column;
}

interface Line {
  readonly rails: readonly (string | null)[];
  /** Columns whose nodes it needs, and those of them that are no longer needed. */
  readonly joined: readonly number[];
  readonly ends: readonly number[];
  readonly column: number;
  readonly symbol: string;
}

function drawLine({ rails, joined, ends, column, symbol }: Line): string {
  const first = joined[0] ?? column;
  let line = '';
  for (let at = 0; at < Math.max(rails.length, column + 1); at += 1) {
    const isActive = rails[at] !== undefined && rails[at] !== null;
    if (at === column) line += symbol;
    else if (joined.includes(at)) line += corner(at === first, ends.includes(at));
    else if (isActive) line += '│';
    else line += at > first && at < column ? '─' : ' ';
    line += at >= first && at < column ? '─' : ' ';
  }
  return line.trimEnd();
}

function corner(isFirst: boolean, isEnd: boolean): string {
  if (isFirst) return isEnd ? '└' : '├';
  return isEnd ? '┴' : '┼';
}
