import type { BoardAgent, BoardCheck, BoardEndedCheck } from '../../../domain/shown/board.ts';
import { formatCount } from '../../../util/format-amount.ts';
import { byId, make } from '../../page/client/dom.ts';
import { app } from './app.ts';
import { makeElapsed, makeMoment } from './times.ts';
import { makeFold, makeOutput, makeRowButton, makeText, spentWords } from './words.ts';

const agents = byId('agents', HTMLUListElement);
const checks = byId('checks', HTMLUListElement);
const endedChecks = byId('ended-checks', HTMLUListElement);
const nothing = byId('nothing-runs', HTMLParagraphElement);

/** What can be done with an agent: show its stream, and tell it something. */
export interface AgentDoors {
  open(agent: string): void;
  tell(agent: string): void;
}

/** The agents and checks that run. */
export function renderRunning(doors: AgentDoors): void {
  const { state } = app;
  nothing.hidden = state.agents.length + state.checks.length > 0;
  keepRows(agents, state.agents, (agent) => makeAgent(agent, doors));
  keepRows(checks, state.checks, makeCheck);
  endedChecks.replaceChildren(...state.ended_checks.map(makeEnded));
}

/** A row for each; those that have not changed stay, and what has the focus in them keeps it. */
function keepRows<Item extends { readonly id: string }>(
  list: HTMLUListElement,
  items: readonly Item[],
  makeRow: (item: Item) => readonly HTMLElement[],
): void {
  const before = new Map([...list.children].map((row) => [row.getAttribute('data-id'), row]));
  const rows = items.map((item) => {
    const text = JSON.stringify(item);
    const known = before.get(item.id);
    if (known?.getAttribute('data-item') === text) return known;
    const row = make('li', 'row', ...makeRow(item));
    const [fold, folded] = [row.querySelector('details'), known?.querySelector('details')];
    if (fold !== null && folded != null) fold.open = folded.open;
    row.dataset.id = item.id;
    row.dataset.item = text;
    const had = [...(known?.querySelectorAll('button') ?? [])].indexOf(
      document.activeElement as HTMLButtonElement,
    );
    if (had >= 0) queueMicrotask(() => row.querySelectorAll('button')[had]?.focus());
    return row;
  });
  list.replaceChildren(...rows);
}

function makeAgent(agent: BoardAgent, { open, tell }: AgentDoors): readonly HTMLElement[] {
  const task = agent.task === null ? null : (app.state.tasks[agent.task]?.title ?? null);
  const words = make(
    'span',
    'row-head',
    make('b', '', agent.task ?? agent.role),
    make('span', 'badge', agent.role),
    ...(agent.blocked === 0
      ? []
      : [make('span', 'badge bad', `${formatCount(agent.blocked, 'call')} blocked`)]),
    make('span', 'row-end quiet', makeElapsed(agent.started_at)),
  );
  const button = makeRowButton(
    () => open(agent.id),
    words,
    ...(task === null ? [] : [makeText('row-title', task)]),
    makeText('row-note', agent.activity === '' ? 'starting' : agent.activity),
    make('span', 'row-note quiet', [agent.id, agent.adapter, spentWords(agent)].filter(Boolean).join(' · ')),
  );
  const teller = make('button', 'tell-button', 'Tell it…');
  teller.type = 'button';
  teller.setAttribute('aria-label', `Tell it… (${agent.task ?? agent.id})`);
  teller.addEventListener('click', () => tell(agent.id));
  return [button, teller];
}

/** What a check came to, and when it ended. */
function makeEnded({
  about,
  command,
  result,
  is_good: isGood,
  took_ms: took,
  ended_at,
}: BoardEndedCheck): HTMLElement {
  const words = `${isGood ? '✓' : '✗'} ${about}: ${command}: ${result}, ${Math.ceil(took / 1000)} s`;
  return make(
    'li',
    isGood ? '' : 'bad',
    make('span', 'row-head', makeText('', words), make('span', 'row-end quiet', makeMoment(ended_at))),
  );
}

function makeCheck(check: BoardCheck): readonly HTMLElement[] {
  const row = make(
    'div',
    'check',
    make(
      'span',
      'row-head',
      make('b', '', check.about),
      make('span', 'badge', 'check'),
      make('span', 'row-end quiet', makeElapsed(check.started_at)),
    ),
    ...check.before.map(({ command, result, is_good: isGood, took_ms: took }) =>
      makeText(
        `row-note ${isGood ? '' : 'bad'}`,
        `${isGood ? '✓' : '✗'} ${command}: ${result}, ${Math.ceil(took / 1000)} s`,
      ),
    ),
    make('code', 'row-title', check.command),
    ...(check.output === '' ? [] : [makeFold('What it says', makeOutput(check.output))]),
  );
  return [row];
}
