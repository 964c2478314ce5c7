import { byId, make } from '../../page/client/dom.ts';
import { type GraphNode, type LayeredGraph, layerGraph, type PlacedNode } from '../layer-graph.ts';
import { app } from './app.ts';
import { lookOf, makeText, overlapWords } from './words.ts';

const graph = byId('graph', HTMLDivElement);
const alone = byId('alone', HTMLDivElement);
const key = byId('graph-key', HTMLParagraphElement);
const size = { width: 208, height: 50, gapX: 46, gapY: 12, edge: 2 };
const svgNames = 'http://www.w3.org/2000/svg';

/** What is drawn now: drawn anew only when tasks or what they need change. */
let drawn: { readonly key: string; readonly layout: LayeredGraph } = { key: '', layout: layerGraph([]) };
const nodes = new Map<string, HTMLButtonElement>();

/** Draws the tasks by what they need; `open` shows one of them. */
export function renderGraph(isShown: boolean, open: (id: string) => void): void {
  graph.hidden = !isShown;
  alone.hidden = !isShown;
  key.hidden = !isShown || !Object.keys(app.state.tasks).some((id) => below(id).length > 0);
  if (!isShown) return;
  const tasks = Object.entries(app.state.tasks);
  const links = JSON.stringify(tasks.map(([id, task]) => [id, task.needs, below(id)]));
  if (links !== drawn.key) {
    const given = tasks.map(([id, { needs }]): GraphNode => ({ id, needs: [...needs, ...below(id)] }));
    const isOther = !given.some(({ id }) => nodes.has(id));
    drawn = { key: links, layout: layerGraph(given) };
    place(drawn.layout, open);
    if (isOther) showFirstColumn(drawn.layout);
  }
  for (const [id, node] of nodes) paint(id, node);
}

/** Whose work is below a task's own although it does not need it. */
function below(id: string): readonly string[] {
  const { overlap = null, needs = [] } = app.state.tasks[id] ?? {};
  if (overlap?.kind !== 'build-on') return [];
  return overlap.below.map(({ task }) => task).filter((task) => !needs.includes(task));
}

/** A tall graph begins where its tasks do: those that need nothing stand beside the middle of what needs them. */
function showFirstColumn({ nodes: placed }: LayeredGraph): void {
  const tops = placed.filter(({ column }) => column === 0).map(topOf);
  const [first, end] = [Math.min(...tops), Math.max(...tops) + size.height];
  const room = Math.max(0, graph.clientHeight - (end - first));
  graph.scrollTop = tops.length === 0 ? 0 : first - room / 2;
}

function place(
  { nodes: placed, edges, alone: free, columns, rows }: LayeredGraph,
  open: (id: string) => void,
): void {
  nodes.clear();
  const area = make('div', 'graph-area');
  area.style.width = `${columns * (size.width + size.gapX) - size.gapX + 2 * size.edge}px`;
  area.style.height = `${rows * (size.height + size.gapY) - size.gapY + 2 * size.edge}px`;
  const byName = new Map(placed.map((node) => [node.id, node]));
  area.append(drawEdges(edges, byName));
  // In the order in which they are read, and tabbed through.
  for (const node of [...placed].sort((a, b) => a.column - b.column || a.row - b.row)) {
    const button = makeNode(node.id, open);
    button.style.left = `${leftOf(node)}px`;
    button.style.top = `${topOf(node)}px`;
    area.append(button);
  }
  graph.replaceChildren(...(placed.length === 0 ? [] : [area]));
  alone.replaceChildren(...free.map((id) => makeNode(id, open)));
}

function leftOf({ column }: Pick<PlacedNode, 'column'>): number {
  return column * (size.width + size.gapX) + size.edge;
}

function topOf({ row }: Pick<PlacedNode, 'row'>): number {
  return row * (size.height + size.gapY) + size.edge;
}

function drawEdges(edges: LayeredGraph['edges'], byName: ReadonlyMap<string, PlacedNode>): SVGElement {
  const svg = document.createElementNS(svgNames, 'svg');
  svg.setAttribute('aria-hidden', 'true');
  for (const [from, to] of edges) {
    const [start, end] = [byName.get(from), byName.get(to)];
    if (start === undefined || end === undefined) continue;
    const [x1, y1] = [leftOf(start) + size.width, topOf(start) + size.height / 2];
    const [x2, y2] = [leftOf(end), topOf(end) + size.height / 2];
    const bend = Math.min(40, (x2 - x1) / 2);
    const path = document.createElementNS(svgNames, 'path');
    path.setAttribute('d', `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`);
    path.dataset.from = from;
    path.dataset.to = to;
    path.classList.toggle('below', below(to).includes(from));
    svg.append(path);
  }
  return svg;
}

function makeNode(id: string, open: (id: string) => void): HTMLButtonElement {
  const button = make('button', 'node', make('span', 'node-head'), makeText('node-title', ''));
  button.type = 'button';
  button.dataset.id = id;
  button.addEventListener('click', () => open(id));
  button.addEventListener('focus', () => lightUp(id));
  button.addEventListener('mouseenter', () => lightUp(id));
  button.addEventListener('mouseleave', () => lightUp(null));
  button.addEventListener('blur', () => lightUp(null));
  nodes.set(id, button);
  return button;
}

function paint(id: string, node: HTMLButtonElement): void {
  const task = app.state.tasks[id];
  if (task === undefined) return;
  const { symbol, word, kind } = lookOf(task);
  const isOpen = app.opened?.kind === 'task' && app.opened.id === id;
  const ground = overlapWords(task);
  const text = `${symbol} ${id} ${word} ${task.title} ${ground} ${isOpen}`;
  if (node.dataset.shown === text) return;
  node.dataset.shown = text;
  node.dataset.kind = kind;
  node.setAttribute('aria-current', `${isOpen}`);
  node.title = `${task.title} (${[word, ground].filter(Boolean).join(', ')})`;
  const sign = make('span', 'sign', symbol);
  // The word says the same.
  sign.ariaHidden = 'true';
  node
    .querySelector('.node-head')
    ?.replaceChildren(sign, make('span', 'node-id', id), make('span', 'node-word', word));
  node.querySelector('.node-title')?.replaceChildren(task.title);
}

/** Shows what one hangs together with; null: nothing in particular. */
function lightUp(id: string | null): void {
  for (const path of graph.querySelectorAll('path'))
    path.classList.toggle('lit', id !== null && (path.dataset.from === id || path.dataset.to === id));
}

/** What does not fit the filter steps back. */
export function dimNodes(fits: (id: string) => boolean): void {
  for (const [id, node] of nodes) node.classList.toggle('dim', !fits(id));
}

/** Moves the focus between nodes by an arrow key; false: it is none, or no node has the focus. */
export function walk(key: string): boolean {
  const id = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.id : undefined;
  if (id === undefined || nodes.get(id) !== document.activeElement) return false;
  const next = neighbour(id, key);
  if (next === null) return false;
  nodes.get(next)?.focus();
  return true;
}

function neighbour(id: string, key: string): string | null {
  const { edges, nodes: placed, alone: free } = drawn.layout;
  const own = placed.find((node) => node.id === id);
  if (own === undefined) {
    const step =
      key === 'ArrowRight' || key === 'ArrowDown' ? 1 : key === 'ArrowLeft' || key === 'ArrowUp' ? -1 : 0;
    return step === 0 ? null : (free[free.indexOf(id) + step] ?? null);
  }
  if (key === 'ArrowLeft') return edges.find(([, to]) => to === id)?.[0] ?? null;
  if (key === 'ArrowRight') return edges.find(([from]) => from === id)?.[1] ?? null;
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return null;
  const column = placed.filter((node) => node.column === own.column).sort((a, b) => a.row - b.row);
  return column[column.indexOf(own) + (key === 'ArrowDown' ? 1 : -1)]?.id ?? null;
}
