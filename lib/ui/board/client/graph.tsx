import { computed, signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { labelTaskStatus } from '../../text/task-status-label.ts';
import {
  type PlacedTaskGraph,
  type PlacedTaskGraphNode,
  placeTasksInColumns,
  type TaskGraphNode,
} from '../place-tasks-in-columns.ts';
import { describeOverlaps } from './board-texts.ts';
import { openedPanel, openTaskPanel, shownTasks } from './received-board-state.ts';

const size = { height: 66, gapX: 40, gapY: 12, edge: 2 };
const widths = { least: 200, most: 340 };
/** As wide as the room lets nodes be: titles are cut only where there is no more. */
const nodeWidth = signal(widths.least);

/** As text: tasks are placed again only where what they need has changed. */
const links = computed(() =>
  JSON.stringify(Object.entries(shownTasks.value).map(([id, { needs }]) => ({ id, needs: [...needs, ...below(id)] }))),
);
const layout = computed(() => {
  const nodes: readonly TaskGraphNode[] = JSON.parse(links.value);
  return placeTasksInColumns(nodes);
});
/** The task whose lines stand out. */
const lit = signal<string | null>(null);

/** Tasks whose work a task is stacked on although it does not depend on them. */
function below(id: string): readonly string[] {
  const { overlap = null, needs = [] } = shownTasks.value[id] ?? {};
  if (overlap?.kind !== 'build-on') return [];
  return overlap.below.map(({ task }) => task).filter((task) => !needs.includes(task));
}

/** The tasks by what they need; those that do not fit the filter step back. */
export function TaskGraphView({ fitting }: { readonly fitting: ReadonlySet<string> }) {
  const graph = useRef<HTMLDivElement>(null);
  const before = useRef<readonly PlacedTaskGraphNode[]>([]);
  const { nodes, edges, alone, columns, rows } = layout.value;
  useLayoutEffect(() => {
    const isOther = !nodes.some(({ id }) => before.current.some((node) => node.id === id));
    if (isOther && graph.current !== null) showFirstColumn(graph.current, nodes);
    before.current = nodes;
  }, [nodes]);
  // In the order in which they are read, and tabbed through.
  const sorted = [...nodes].sort((a, b) => a.column - b.column || a.row - b.row);
  useLayoutEffect(() => {
    const { current: element } = graph;
    if (element === null) return;
    const fit = (): void => {
      const room = (element.clientWidth - 2 * size.edge + size.gapX) / Math.max(1, columns) - size.gapX;
      nodeWidth.value = Math.round(Math.max(widths.least, Math.min(widths.most, room)));
    };
    const watch = new ResizeObserver(fit);
    watch.observe(element);
    fit();
    return () => watch.disconnect();
  }, [columns]);
  const width = columns * (nodeWidth.value + size.gapX) - size.gapX + 2 * size.edge;
  const height = rows * (size.height + size.gapY) - size.gapY + 2 * size.edge;
  return (
    <>
      <div id="graph" class="graph" role="group" aria-label="Tasks by dependency" ref={graph}>
        {nodes.length > 0 && (
          <div class="graph-area" style={`width: ${width}px; height: ${height}px`}>
            <Edges nodes={nodes} edges={edges} />
            {sorted.map((node) => (
              <Node
                key={node.id}
                id={node.id}
                style={`left: ${leftOf(node)}px; top: ${topOf(node)}px; width: ${nodeWidth.value}px`}
                isDim={!fitting.has(node.id)}
              />
            ))}
          </div>
        )}
      </div>
      {nodes.some(({ id }) => below(id).length > 0) && (
        <p class="graph-key quiet">
          <span class="line" aria-hidden="true" />
          depends on it <span class="line below" aria-hidden="true" />
          stacked on it: both change the same files
        </p>
      )}
      <div id="alone" class="alone" role="group" aria-label="Tasks without dependencies">
        {alone.map((id) => (
          <Node key={id} id={id} isDim={!fitting.has(id)} />
        ))}
      </div>
    </>
  );
}

/** A tall graph begins where its tasks do: those that need nothing stand beside the middle of what needs them. */
function showFirstColumn(graph: HTMLElement, nodes: readonly PlacedTaskGraphNode[]): void {
  const tops = nodes.filter(({ column }) => column === 0).map(topOf);
  const [first, end] = [Math.min(...tops), Math.max(...tops) + size.height];
  const room = Math.max(0, graph.clientHeight - (end - first));
  graph.scrollTop = tops.length === 0 ? 0 : first - room / 2;
}

function leftOf({ column }: Pick<PlacedTaskGraphNode, 'column'>): number {
  return column * (nodeWidth.value + size.gapX) + size.edge;
}

function topOf({ row }: Pick<PlacedTaskGraphNode, 'row'>): number {
  return row * (size.height + size.gapY) + size.edge;
}

/** Draws the edges; those of the highlighted task stand out. */
function Edges({ nodes, edges }: Pick<PlacedTaskGraph, 'nodes' | 'edges'>) {
  const byName = new Map(nodes.map((node) => [node.id, node]));
  return (
    <svg aria-hidden="true">
      {edges.map(([from, to]) => {
        const [start, end] = [byName.get(from), byName.get(to)];
        if (start === undefined || end === undefined) return null;
        const isLit = lit.value === from || lit.value === to;
        const names = [below(to).includes(from) ? 'below' : '', isLit ? 'lit' : ''];
        return (
          <path
            key={`${from} ${to}`}
            class={names.join(' ').trim()}
            d={drawLine(start, end)}
            data-from={from}
            data-to={to}
          />
        );
      })}
    </svg>
  );
}

function drawLine(start: PlacedTaskGraphNode, end: PlacedTaskGraphNode): string {
  const [x1, y1] = [leftOf(start) + nodeWidth.value, topOf(start) + size.height / 2];
  const [x2, y2] = [leftOf(end), topOf(end) + size.height / 2];
  const bend = Math.min(40, (x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

interface NodeProps {
  readonly id: string;
  readonly isDim: boolean;
  readonly style?: string;
}

function Node({ id, isDim, style }: NodeProps) {
  const task = shownTasks.value[id];
  if (task === undefined) return null;
  const { symbol, word, kind } = labelTaskStatus(task);
  const light = (shown: string | null) => (): void => {
    lit.value = shown;
  };
  return (
    <button
      type="button"
      class={isDim ? 'node dim' : 'node'}
      data-id={id}
      data-kind={kind}
      aria-current={openedPanel.value?.id === id}
      title={`${task.title} (${[word, describeOverlaps(task)].filter(Boolean).join(', ')})`}
      style={style}
      onClick={() => openTaskPanel(id)}
      onFocus={({ currentTarget }) => {
        lit.value = id;
        currentTarget.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      }}
      onMouseEnter={light(id)}
      onMouseLeave={light(null)}
      onBlur={light(null)}
    >
      <span class="node-title" dir="auto">
        {task.title}
      </span>
      <span class="node-note">
        {/* The word says the same. */}
        <span class="sign" aria-hidden="true">
          {symbol}
        </span>
        <span class="node-word">{word}</span>
        <span class="node-group">{`${task.group} · ${id}`}</span>
      </span>
    </button>
  );
}

/** Moves the focus between nodes by an arrow key; false: it is none, or no node has the focus. */
export function moveFocusBetweenNodes(key: string): boolean {
  const node = document.activeElement?.closest<HTMLElement>('.node');
  const next = neighbour(node?.dataset.id ?? '', key);
  if (next === null) return false;
  document.querySelector<HTMLElement>(`.node[data-id="${CSS.escape(next)}"]`)?.focus();
  return true;
}

function neighbour(id: string, key: string): string | null {
  const { edges, nodes, alone } = layout.value;
  const own = nodes.find((node) => node.id === id);
  const step = key === 'ArrowRight' || key === 'ArrowDown' ? 1 : key === 'ArrowLeft' || key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return null;
  if (own === undefined) return alone.includes(id) ? (alone[alone.indexOf(id) + step] ?? null) : null;
  if (key === 'ArrowLeft') return edges.find(([, to]) => to === id)?.[0] ?? null;
  if (key === 'ArrowRight') return edges.find(([from]) => from === id)?.[1] ?? null;
  const column = nodes.filter((node) => node.column === own.column).sort((a, b) => a.row - b.row);
  return column[column.indexOf(own) + step]?.id ?? null;
}
