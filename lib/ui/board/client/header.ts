import { cycleNumber } from '../../../domain/shown/cycle-number.ts';
import { formatTokens, formatUsd } from '../../../util/format-amount.ts';
import { byId, make } from '../../page/client/dom.ts';
import { app } from './app.ts';
import { makeElapsed } from './times.ts';
import { lookOf, spentWords } from './words.ts';

const kicker = byId('kicker', HTMLParagraphElement);
const title = byId('title', HTMLHeadingElement);
const figures = byId('figures', HTMLElement);

/** What the session is for, and how far it is. */
export function renderHeader(): void {
  const { session, run } = app.state;
  if (session === null) {
    kicker.textContent = 'git flame board';
    title.textContent = 'No session yet';
    figures.replaceChildren();
    document.title = 'git flame board';
    return;
  }
  const where =
    session.lands_on === null
      ? session.base_branch
      : `${session.base_branch}, landing on ${session.lands_on}`;
  kicker.textContent = `${session.id} · on ${where}`;
  title.textContent = session.title;
  title.title = session.objective;
  document.title = `${session.title} · git flame board`;
  figures.replaceChildren(
    makeFigure(
      'Wave',
      session.state === 'active' ? session.wave : session.state,
      `cycle ${cycleNumber(session)}`,
    ),
    makeFigure('Tasks', ...tasksWords()),
    makeFigure('Spent', ...spendingWords()),
    makeFigure('Since', makeElapsed(session.created_at), run === null ? 'nothing runs' : 'a run is going'),
  );
}

function makeFigure(name: string, value: string | Node, note: string): HTMLElement {
  return make(
    'div',
    'figure',
    make('dt', '', name),
    make('dd', '', make('b', '', value), make('span', 'quiet', note)),
  );
}

function tasksWords(): readonly [string, string] {
  const tasks = Object.values(app.state.tasks).filter(({ status }) => status !== 'dropped');
  const kinds = tasks.map((task) => lookOf(task).kind);
  const count = (...wanted: readonly string[]): number =>
    kinds.filter((kind) => wanted.includes(kind)).length;
  const bad = count('bad');
  const notes = [`${count('works')} at work`, ...(bad === 0 ? [] : [`${bad} in trouble`])];
  return [
    `${count('good', 'landed')} of ${tasks.length}`,
    tasks.length === 0 ? 'none yet' : notes.join(', '),
  ];
}

function spendingWords(): readonly [string, string] {
  const { session } = app.state;
  if (session === null) return ['', ''];
  const { budget } = session;
  const all = spentWords(session) || formatUsd(0);
  if (budget === null) return [all, 'limit not known'];
  const format = budget.unit === 'usd' ? formatUsd : formatTokens;
  if (budget.limit === 0) return [all, 'no limit'];
  return [format(budget.spent), `of ${format(budget.limit)}`];
}
