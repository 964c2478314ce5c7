import type { BoardTask } from '../../../domain/shown/board.ts';
import { formatCount } from '../../../util/format-amount.ts';
import { byId, make } from '../../page/client/dom.ts';
import { app } from './app.ts';
import { dimNodes, renderGraph } from './graph.ts';
import { lookOf, makeRowButton, makeText, overlapWords, spentWords, type TaskLook } from './words.ts';

const list = byId('list', HTMLUListElement);
const count = byId('plan-count', HTMLParagraphElement);
const none = byId('no-tasks', HTMLParagraphElement);
const filter = byId('filter', HTMLInputElement);
const view = byId('view', HTMLButtonElement);

/** A screen that is narrower shows the plan as a list at first. */
const narrow = matchMedia('(max-width: 40rem)');
let isList = narrow.matches;
/** Rows of the list that are there, by task, with what they show. */
const rows = new Map<string, { readonly text: string; readonly row: HTMLElement }>();

/** Draws the plan as it was chosen; `open` shows a task. */
export function renderPlan(open: (id: string) => void): void {
  const tasks = Object.entries(app.state.tasks);
  none.hidden = tasks.length > 0;
  list.hidden = !isList;
  renderGraph(!isList && tasks.length > 0, open);
  const fitting = tasks.filter(([id, task]) => fits(id, task)).sort(byUrgency);
  const isFiltered = fitting.length < tasks.length;
  count.textContent = isFiltered
    ? `${fitting.length} of ${formatCount(tasks.length, 'task')}`
    : formatCount(tasks.length, 'task');
  if (isList) list.replaceChildren(...fitting.map(([id, task]) => rowOf(id, task, open)));
  const ids = new Set(fitting.map(([id]) => id));
  dimNodes((id) => ids.has(id));
  view.setAttribute('aria-pressed', `${isList}`);
}

export function wirePlan(open: (id: string) => void): void {
  view.addEventListener('click', () => switchView(open));
  filter.addEventListener('input', () => renderPlan(open));
}

export function switchView(open: (id: string) => void): void {
  isList = !isList;
  renderPlan(open);
}

/** Every word that was typed is in its id, title, group, state or files. */
function fits(id: string, task: BoardTask): boolean {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = [id, task.title, task.group, lookOf(task).word, task.by ?? '', ...task.locks]
    .join(' ')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

const urgency: readonly TaskLook['kind'][] = ['bad', 'works', 'planned', 'waits', 'good', 'landed', 'over'];

function byUrgency(
  [id, task]: readonly [string, BoardTask],
  [otherId, other]: readonly [string, BoardTask],
): number {
  const [one, two] = [task, other].map((each) => urgency.indexOf(lookOf(each).kind));
  return (one ?? 0) - (two ?? 0) || id.localeCompare(otherId, 'en', { numeric: true });
}

function rowOf(id: string, task: BoardTask, open: (id: string) => void): HTMLElement {
  const isOpen = app.opened?.kind === 'task' && app.opened.id === id;
  const text = `${isOpen} ${JSON.stringify(task)}`;
  const known = rows.get(id);
  if (known?.text === text) return known.row;
  const row = make('li', 'row', makeRow(id, task, { isOpen, open }));
  rows.set(id, { text, row });
  return row;
}

function makeRow(
  id: string,
  task: BoardTask,
  { isOpen, open }: { readonly isOpen: boolean; readonly open: (id: string) => void },
): HTMLElement {
  const { symbol, word, kind } = lookOf(task);
  const needs = task.needs.length === 0 ? '' : `after ${task.needs.join(', ')}`;
  const note = [task.group, needs, overlapWords(task), spentWords(task)].filter(Boolean).join(' · ');
  const button = makeRowButton(
    () => open(id),
    make(
      'span',
      'row-head',
      make('span', 'sign', symbol),
      make('b', '', id),
      make('span', `badge ${kind}`, word),
      ...(task.attempts > 1 ? [make('span', 'row-end quiet', `attempt ${task.attempts}`)] : []),
    ),
    makeText('row-title', task.title),
    make('span', 'row-note quiet', note),
    ...task.because.slice(0, 2).map((why) => makeText('row-note', why)),
  );
  button.dataset.kind = kind;
  button.dataset.id = id;
  button.setAttribute('aria-current', `${isOpen}`);
  return button;
}
