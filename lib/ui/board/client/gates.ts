import { whereWords } from '../../../domain/answered-at.ts';
import type { Answer } from '../../../domain/questions/answer-row.ts';
import { answersTo } from '../../../domain/questions/answers-to.ts';
import type { DecidedGate, OpenGate } from '../../../domain/questions/gate.ts';
import { goneWords, questionTitle } from '../../../domain/questions/question-facts.ts';
import { type AnswerForm, answerForm } from '../../page/client/answer-form.ts';
import { byId, make } from '../../page/client/dom.ts';
import { post } from '../../page/client/transport.ts';
import { about, app } from './app.ts';
import { factsOf, loadText } from './gate-facts.ts';
import { makeMoment } from './times.ts';
import { makeBlock, makeFold, makeText } from './words.ts';

const section = byId('waiting', HTMLElement);
const gates = byId('gates', HTMLDivElement);
const decided = byId('decided', HTMLUListElement);
const nothing = byId('nothing-waits', HTMLParagraphElement);
const said = byId('gate-said', HTMLParagraphElement);

const mostDecided = 5;

/** What was written to a question that ended without it. */
interface Begun {
  readonly title: string;
  readonly draft: string;
  /** How it ended, a clause. */
  readonly how: string;
}

/** The card that is shown, and the form that is open in it. */
let card: {
  readonly gate: OpenGate;
  readonly id: string;
  readonly title: string;
  form: AnswerForm | null;
} | null = null;
/** What was begun and came to nothing, since somebody else was faster or the run ended. */
const leftOver = new Map<string, Begun>();
/** Questions that this tab answers. */
const sent = new Set<string>();

/** What waits for the person, and what became of the last questions. */
export function renderGates(): void {
  const { gate, notices, session } = app.state;
  if (gate?.id !== card?.id) changeCard(gate);
  section.classList.toggle('open', gate !== null);
  nothing.hidden = gate !== null || notices.length > 0 || (session?.next ?? null) !== null;
  const shown = app.state.decided.slice(0, mostDecided);
  const lost = [...leftOver].filter(([id]) => id !== gate?.id && !shown.some((one) => one.id === id));
  decided.replaceChildren(...lost.map(([, one]) => makeLost(one)), ...shown.map(makeDecided));
}

function changeCard(gate: OpenGate | null): void {
  const draft = card?.form?.draft() ?? '';
  if (card !== null && draft !== '' && !sent.has(card.id))
    leftOver.set(card.id, { title: card.title, draft, how: goneWords(card.gate, Date.now()) });
  const former = card;
  card = gate === null ? null : { gate, id: gate.id, title: questionTitle(gate.asks), form: null };
  const had = gates.contains(document.activeElement);
  gates.replaceChildren(...(gate === null ? [] : [makeCard(gate)]));
  if (had) gates.querySelector('button')?.focus();
  const how = app.state.decided.find(({ id }) => id === former?.id);
  said.textContent =
    gate === null
      ? how === undefined
        ? ''
        : sentence(how)
      : `It waits for you: ${questionTitle(gate.asks)}`;
}

function makeCard({ id, asks }: OpenGate): HTMLElement {
  const title = make('h3', '', questionTitle(asks));
  title.id = `title-${id}`;
  title.dir = 'auto';
  const place = make('div', 'answer-place');
  const buttons = make('div', 'answers');
  const choose = (choice: Answer | null): void => {
    const form =
      choice === null
        ? null
        : answerForm(choice, {
            load: (what) => loadText(id, what),
            send: (answer) => send(id, answer),
            cancel,
          });
    if (card?.id === id) card.form = form;
    place.replaceChildren(...(form === null ? [] : [form.element]));
    for (const button of buttons.children)
      button.setAttribute('aria-expanded', `${button.textContent === choice?.label}`);
    const first = form?.element.querySelector<HTMLElement>('textarea, input, button');
    if (first != null) first.focus();
  };
  const cancel = (): void => {
    const opener = buttons.querySelector<HTMLElement>('[aria-expanded="true"]');
    choose(null);
    opener?.focus();
  };
  buttons.append(
    ...answersTo(asks).map((choice) => {
      const button = make('button', choice.look, choice.label);
      button.type = 'button';
      button.setAttribute('aria-expanded', 'false');
      button.addEventListener('click', () => choose(choice));
      return button;
    }),
  );
  const element = make(
    'article',
    'gate',
    title,
    make('div', 'gate-facts', ...factsOf(id, asks)),
    buttons,
    place,
  );
  element.setAttribute('aria-labelledby', title.id);
  element.dataset.gate = asks.gate;
  return element;
}

async function send(gate: string, answer: unknown): Promise<string> {
  if (!app.isFresh) return 'git flame does not answer now: nothing can be decided here until it does.';
  const [draft, shown] = [card?.form?.draft() ?? '', card];
  sent.add(gate);
  const { problem } = await post(about('/api/answer'), { gate, answer });
  if (problem === '') return '';
  sent.delete(gate);
  if (shown !== null && card?.id !== gate && draft !== '')
    leftOver.set(gate, { title: shown.title, draft, how: goneWords(shown.gate, Date.now()) });
  renderGates();
  return problem;
}

function makeDecided(gate: DecidedGate): HTMLElement {
  const begun = leftOver.get(gate.id);
  return make(
    'li',
    '',
    make(
      'span',
      'row-head',
      makeText('', sentence(gate)),
      make('span', 'row-end quiet', makeMoment(gate.at)),
    ),
    ...(begun === undefined ? [] : [makeBegun(begun)]),
  );
}

function makeLost(begun: Begun): HTMLElement {
  return make('li', '', makeText('', `${begun.title}: ${begun.how}.`), makeBegun(begun));
}

function makeBegun({ draft }: Begun): HTMLElement {
  return makeFold('What you had begun to write', makeBlock('', draft));
}

function sentence({ about: what, answer, where }: DecidedGate): string {
  return `${what}: ${answer} (decided ${whereWords[where]})`;
}
