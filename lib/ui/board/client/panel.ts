import type { BoardAgent, BoardTaskDetails } from '../../../domain/shown/board.ts';
import { byId, make } from '../../page/client/dom.ts';
import { getJson } from '../../page/client/transport.ts';
import { about, app } from './app.ts';
import { type ShownStream, showStream } from './stream.ts';
import { detailsOf, summaryOf } from './task-details.ts';
import { type TellBox, tellBox } from './tell.ts';
import { makeElapsed } from './times.ts';
import { spentWords } from './words.ts';

const panel = byId('panel', HTMLElement);
const title = byId('panel-title', HTMLHeadingElement);
const body = byId('panel-body', HTMLDivElement);

let stream: (ShownStream & { readonly agent: string }) | null = null;
/** Beside the stream of the same agent. */
let telling: TellBox | null = null;
/** An agent whose box is opened as soon as it is there. */
let toTell: string | null = null;
let focusedBefore: Element | null = null;
/** What the task was when its details were asked for. */
let asked = '';

export function openTask(id: string): void {
  begin({ kind: 'task', id });
}

export function openAgent(id: string): void {
  const agent = app.state.agents.find((one) => one.id === id);
  begin(agent?.task == null ? { kind: 'agent', id } : { kind: 'task', id: agent.task });
}

/** The same, with what it is told to be written. */
export function tellAgent(id: string): void {
  toTell = id;
  openAgent(id);
}

export function closePanel(): boolean {
  if (app.opened === null) return false;
  app.opened = null;
  panel.hidden = true;
  closeStream();
  if (focusedBefore instanceof HTMLElement && focusedBefore.isConnected) focusedBefore.focus();
  return true;
}

export function wirePanel(onClose: () => void): void {
  byId('panel-close', HTMLButtonElement).addEventListener('click', () => {
    closePanel();
    onClose();
  });
}

function begin(opened: NonNullable<typeof app.opened>): void {
  if (app.opened === null) focusedBefore = document.activeElement;
  app.opened = opened;
  asked = '';
  closeStream();
  panel.hidden = false;
  body.replaceChildren(make('p', 'quiet', 'Loading …'));
  panel.scrollTop = 0;
  renderPanel();
  panel.focus();
}

/** What is open, as it is now. */
export function renderPanel(): void {
  const { opened } = app;
  if (opened === null) return;
  telling?.render();
  if (opened.kind === 'agent') {
    renderAgent(opened.id);
    return;
  }
  const task = app.state.tasks[opened.id];
  if (task === undefined) {
    title.textContent = opened.id;
    body.replaceChildren(make('p', 'quiet', 'This task is not there any more.'));
    return;
  }
  title.textContent = task.title;
  const text = JSON.stringify(task);
  if (text === asked) return;
  asked = text;
  void load(opened.id);
}

async function load(id: string): Promise<void> {
  const isWanted = (): boolean => app.opened?.kind === 'task' && app.opened.id === id;
  try {
    const details = await getJson<BoardTaskDetails>(about(`/api/task/${encodeURIComponent(id)}`));
    if (isWanted()) showTask(id, details);
  } catch (error) {
    if (!isWanted()) return;
    body.replaceChildren(make('p', 'problem', error instanceof Error ? error.message : String(error)));
  }
}

function showTask(id: string, details: BoardTaskDetails): void {
  const task = app.state.tasks[id];
  if (task === undefined) return;
  const folds = new Set([...body.querySelectorAll('details[open] > summary')].map((one) => one.textContent));
  const agent =
    app.state.agents.find((one) => one.task === id)?.id ?? stream?.agent ?? details.agents.at(-1)?.id ?? null;
  const live =
    agent === null
      ? []
      : [
          streamPart(
            agent,
            details.agents.map((one) => one.id),
          ),
        ];
  // What is moved loses it.
  const focused = body.contains(document.activeElement) ? document.activeElement : null;
  body.replaceChildren(...summaryOf(id, task), ...live, ...detailsOf(task, details));
  if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true });
  openTelling();
  for (const summary of body.querySelectorAll('details > summary'))
    if (folds.has(summary.textContent)) summary.parentElement?.setAttribute('open', '');
}

/** The stream of one of the agents that were at a task; kept while the rest is drawn anew. */
function streamPart(agent: string, others: readonly string[]): HTMLElement {
  const part = make('section', 'part');
  const show = (id: string): void => {
    const shown = follow(id);
    const names = [...new Set([...others, id])];
    part.replaceChildren(
      make('h3', '', 'What it says'),
      ...(names.length > 1 ? [choice(names, id, show)] : [make('p', 'quiet', id)]),
      shown.telling.element,
      shown.stream.element,
    );
  };
  show(agent);
  return part;
}

/** The stream of an agent, with what it can be told; what is shown of it already stays. */
function follow(id: string): { readonly stream: ShownStream; readonly telling: TellBox } {
  if (stream?.agent !== id || telling === null) {
    closeStream();
    stream = { ...showStream(id), agent: id };
    telling = tellBox(id);
    telling.render();
  }
  return { stream, telling };
}

function openTelling(): void {
  if (telling === null || telling.agent !== toTell) return;
  telling.open();
  toTell = null;
}

function choice(names: readonly string[], chosen: string, show: (id: string) => void): HTMLElement {
  const select = make(
    'select',
    'agent-choice',
    ...names.map((name) => new Option(name, name, false, name === chosen)),
  );
  select.setAttribute('aria-label', 'Agent');
  select.addEventListener('change', () => show(select.value));
  return select;
}

function renderAgent(id: string): void {
  title.textContent = id;
  const agent = app.state.agents.find((one) => one.id === id);
  if (stream === null) {
    const shown = follow(id);
    body.replaceChildren(make('div', 'agent-facts'), shown.telling.element, shown.stream.element);
    openTelling();
  }
  body.querySelector('.agent-facts')?.replaceChildren(...(agent === undefined ? [] : agentFacts(agent)));
}

function agentFacts(agent: BoardAgent): readonly (string | Node)[] {
  return [
    make(
      'p',
      'quiet',
      `${agent.role} · ${agent.adapter} · `,
      makeElapsed(agent.started_at),
      ` · ${spentWords(agent)}`,
    ),
  ];
}

function closeStream(): void {
  stream?.close();
  stream = null;
  telling = null;
}
