import type { BoardHint } from '../../../domain/shown/board.ts';
import { make } from '../../page/client/dom.ts';
import { post } from '../../page/client/transport.ts';
import { app } from './app.ts';
import { makeText } from './words.ts';

/** Where one agent is told something, and what became of that. What is being written stays while the board changes. */
export interface TellBox {
  readonly agent: string;
  readonly element: HTMLElement;
  /** As it is now. */
  render(): void;
  /** Opens the form and goes there. */
  open(): void;
}

export function tellBox(agent: string): TellBox {
  const list = make('ul', 'hints');
  list.setAttribute('aria-label', 'What it was told');
  const told = make('div', '', list);
  told.setAttribute('role', 'status');
  const opener = make('button', 'tell-button', 'Tell it…');
  opener.type = 'button';
  const form = tellForm(agent, () => fold(false));
  const fold = (isOpen: boolean): void => {
    form.element.hidden = !isOpen;
    opener.setAttribute('aria-expanded', `${isOpen}`);
    (isOpen ? form.area : opener).focus();
  };
  form.element.hidden = true;
  opener.setAttribute('aria-expanded', 'false');
  opener.addEventListener('click', () => fold(opener.getAttribute('aria-expanded') !== 'true'));
  return {
    agent,
    element: make('section', 'part tell', told, opener, form.element),
    render: () => {
      const hints = app.state.hints.filter((hint) => hint.agent === agent);
      const text = JSON.stringify(hints);
      if (list.dataset.hints !== text) list.replaceChildren(...hints.map(makeHint));
      list.dataset.hints = text;
      const isRunning = app.state.agents.some(({ id }) => id === agent);
      opener.hidden = !isRunning;
      // Who is writing sees what is refused; an empty form goes.
      if (!isRunning && form.area.value === '') form.element.hidden = true;
    },
    open: () => fold(true),
  };
}

function tellForm(
  agent: string,
  close: () => void,
): { readonly element: HTMLFormElement; readonly area: HTMLTextAreaElement } {
  const area = make('textarea', '');
  Object.assign(area, { id: `tell-${agent}`, rows: 3, dir: 'auto', required: true });
  const label = make('label', '', 'What it is told with its next request to the model');
  label.htmlFor = area.id;
  const submit = make('button', 'good', 'Tell it');
  submit.type = 'submit';
  const problem = make('p', 'problem text');
  problem.setAttribute('role', 'alert');
  problem.hidden = true;
  const say = (words: string): void => {
    problem.textContent = words;
    problem.hidden = words === '';
  };
  const tools = make('div', 'answer-tools', submit);
  const element = make('form', 'answer-form', make('div', 'answer-field', label, area), problem, tools);
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    submit.disabled = true;
    say('');
    void send(agent, area.value).then((wrong) => {
      submit.disabled = false;
      say(wrong);
      if (wrong !== '') return;
      area.value = '';
      close();
    });
  });
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) element.requestSubmit();
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    close();
  });
  return { element, area };
}

async function send(agent: string, text: string): Promise<string> {
  if (!app.isFresh) return 'git flame does not answer now: nobody can be told anything until it does.';
  return (await post('/api/hint', { agent, text })).problem;
}

function makeHint(hint: BoardHint): HTMLElement {
  const row = make('li', `hint ${hint.state}`, makeText('hint-text', hint.text), ' ');
  row.append(make('span', 'quiet', becameOf(hint)));
  return row;
}

function becameOf({ state, next }: BoardHint): string {
  switch (state) {
    case 'left':
      return 'waits for its next request to the model';
    case 'seen':
      return 'it has been told';
    case 'followed':
      return next === '' ? 'it has been told, and goes on' : `it has been told, and goes on with ${next}`;
    case 'missed':
      return 'it ended before it could be told';
  }
}
