import type { GraphTask } from '../../domain/view-models/task-story.ts';
import { formatCount } from '../../util/format-figures.ts';
import { cutText, padText, textWidth } from '../../util/format-width.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import { labelTaskStatus } from '../text/task-status-label.ts';
import { paintStatus } from './render-status.ts';

const barWidth = 20;

/**
 * A plan's tasks, each below what it needs and joined to it by lines, with how far each is. Where the lines would
 * take half of the width, the needs are named instead.
 */
export function renderGraph(tasks: readonly GraphTask[], style: Style): string {
  if (tasks.length === 0) return 'No tasks yet.';
  const symbolOf = ({ status }: GraphTask): string => labelTaskStatus({ status, verdict: 'pass' }).symbol;
  const drawn = drawGraphLines(tasks, symbolOf);
  const isTooWide = Math.max(...drawn.map(textWidth)) > style.width / 2;
  const rails = isTooWide ? tasks.map(symbolOf) : drawn;
  const groups = new Set(tasks.map(({ group }) => group));
  const widest = (texts: readonly string[]): number => Math.max(...texts.map(textWidth));
  const widths = {
    rail: widest(rails),
    id: widest(tasks.map(({ id }) => toPrintableLine(id))),
    status: widest(tasks.map(({ status }) => status)),
  };
  const rows = tasks.map((task, index) => {
    const cells = [
      padText(rails[index] ?? '', widths.rail),
      padText(toPrintableLine(task.id), widths.id),
      padText(paint(task.status, style), widths.status),
    ];
    const left = cells.join('  ');
    const needs = isTooWide && task.dependencies.length > 0 ? `after ${task.dependencies.join(', ')}: ` : '';
    const title = `${groups.size > 1 ? `[${task.group}] ` : ''}${needs}${task.title}`;
    const room = style.width - textWidth(left) - 2;
    return room < 4 ? left.trimEnd() : `${left}  ${cutText(toPrintableLine(title), room)}`;
  });
  return [renderProgress(tasks, style), '', ...rows].join('\n');
}

function paint(status: GraphTask['status'], style: Style): string {
  return status === 'proposed' ? style.dim(status) : paintStatus(status, style);
}

/** How many are through, as a bar and in words. */
function renderProgress(tasks: readonly GraphTask[], style: Style): string {
  const wanted = tasks.filter(({ status }) => status !== 'dropped');
  const done = wanted.filter(({ status }) => status === 'done' || status === 'merged').length;
  const full = wanted.length === 0 ? 0 : Math.floor((done / wanted.length) * barWidth);
  const bar = style.green('█'.repeat(full)) + style.dim('░'.repeat(barWidth - full));
  return `${bar} ${done} of ${formatCount(wanted.length, 'task')} done`;
}

/** A node, and the nodes before it that it is joined to. */
interface RailNode {
  readonly id: string;
  readonly dependencies: readonly string[];
}

/**
 * Draws a graph without cycles, one line for each node in the order given, each after what it needs: a node's line
 * goes down from it until the last that needs it. Needs that don't stand before are left out.
 */
export function drawGraphLines<Node extends RailNode>(
  nodes: readonly Node[],
  symbolOf: (node: Node) => string,
): readonly string[] {
  const left = countDependents(nodes);
  const rails: (string | null)[] = [];
  return nodes.map((node) => {
    const joined = rails.flatMap((id, column) => (id !== null && node.dependencies.includes(id) ? [column] : []));
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
    for (const need of new Set(dependencies)) if (counts.has(need)) counts.set(need, (counts.get(need) ?? 0) + 1);
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
