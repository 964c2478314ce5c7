import type { BoardChangeset } from '../../../domain/shown/board.ts';
import { formatCount, formatNumber } from '../../../util/format-amount.ts';
import { byId, make } from '../../page/client/dom.ts';
import { app } from './app.ts';
import { makeMoment } from './times.ts';
import { makeRowButton, makeText, spentWords } from './words.ts';

const changesets = byId('changesets', HTMLUListElement);
const noChangesets = byId('no-changesets', HTMLParagraphElement);
const log = byId('log', HTMLOListElement);
const sessions = byId('sessions', HTMLUListElement);
const notices = byId('notices', HTMLUListElement);

export function renderChangesets(): void {
  noChangesets.hidden = app.state.changesets.length > 0;
  changesets.replaceChildren(...app.state.changesets.map((one) => make('li', 'row', makeChangeset(one))));
}

function makeChangeset({ group, state, red, diffstat, tasks, reason, by }: BoardChangeset): HTMLElement {
  const { files, insertions, deletions } = diffstat;
  const why = [by === null ? '' : `by ${by}`, reason ?? ''].filter((part) => part !== '');
  return make(
    'div',
    'changeset',
    make(
      'span',
      'row-head',
      make('b', '', group),
      make('span', `badge ${state}`, state === 'void' ? 'built again' : state),
      ...(red ? [make('span', 'badge bad', 'checks fail')] : []),
      make(
        'span',
        'row-end',
        make('span', 'quiet', `${formatCount(files, 'file')} `),
        make('span', 'plus', `+${formatNumber(insertions)}`),
        ' ',
        make('span', 'minus', `−${formatNumber(deletions)}`),
      ),
    ),
    make('span', 'row-note quiet', tasks.join(', ')),
    ...(why.length === 0 ? [] : [makeText('row-note', why.join(': '))]),
  );
}

export function renderLog(): void {
  const rows = app.state.log.map(({ at, who, text }) => {
    const person = make('span', 'quiet who', who.replace(/ <.*>$/, ''));
    person.title = who;
    return make('li', '', makeMoment(at), makeText('what', text), person);
  });
  log.replaceChildren(...rows);
}

export function renderNotices(): void {
  const { session } = app.state;
  const next = session?.next ?? null;
  const command = next === null ? [] : [make('li', 'next', 'Next, in a terminal: ', make('code', '', next))];
  notices.replaceChildren(...app.state.notices.map((text) => make('li', 'warning', text)), ...command);
}

/** `choose` shows another session. */
export function renderSessions(choose: (id: string) => void): void {
  const rows = app.state.sessions.map(({ id, title, state, wave, created_at, ...spent }) => {
    const button = makeRowButton(
      () => choose(id),
      make(
        'span',
        'row-head',
        makeText('row-title', title),
        make('span', 'badge', state === 'active' ? wave : state),
        make('span', 'row-end quiet', makeMoment(created_at)),
      ),
      make('span', 'row-note quiet', [id, spentWords({ ...spent, tokens: 0 })].filter(Boolean).join(' · ')),
    );
    if (id === app.state.session?.id) button.setAttribute('aria-current', 'true');
    return make('li', 'row', button);
  });
  sessions.replaceChildren(...rows);
}
