import { byId, make } from '../../page/client/dom.ts';
import { getHtml } from '../../page/client/transport.ts';
import type { ChangesetState } from '../page-state.ts';
import { app, current, keyOf, main, urlOf, viewQuery } from './app.ts';
import { renderBar } from './decide.ts';
import { isBuiltAgain } from './drafts.ts';
import { startLoading } from './files.ts';
import { showViewed } from './viewed.ts';

const list = byId('changesets', HTMLOListElement);
const articles = new Map<string, HTMLElement>();

/** Draws the list of changesets, and shows one if none of those is shown. */
export function renderChangesets(): void {
  const hadFocus = list.contains(document.activeElement);
  list.replaceChildren(...app.state.changesets.map(renderEntry));
  if (hadFocus) list.querySelector<HTMLElement>('[aria-current]')?.focus();
  const { changesets } = app.state;
  const again = changesets.find((one) => one.state === 'waiting' && isBuiltAgain(keyOf(one)));
  const isWriting = document.activeElement instanceof HTMLTextAreaElement;
  if (again !== undefined && keyOf(again) !== app.shown && !isWriting) {
    void show(again);
    return;
  }
  if (current() !== undefined) return;
  const next = changesets.find(({ state }) => state === 'waiting') ?? changesets[0];
  if (next !== undefined) void show(next);
  else main.replaceChildren(make('p', 'quiet', 'There is nothing to review yet.'));
}

/** Shows a changeset; those shown before are kept as they were. */
async function show(changeset: ChangesetState): Promise<void> {
  const key = keyOf(changeset);
  app.shown = key;
  renderChangesets();
  renderBar();
  const known = articles.get(articleKey(changeset));
  const here = known ?? takeFirst(changeset);
  // Never one changeset's lines above the buttons of another.
  if (here === undefined) main.replaceChildren(make('p', 'quiet', 'Loading …'));
  const article = here ?? (await fetchArticle(changeset));
  if (app.shown !== key) return;
  // Before its files are there: to scroll, a browser lays out all that is.
  scrollTo(0, 0);
  main.replaceChildren(article);
  renderBar();
  startLoading();
  showViewed();
  if (known === undefined) placeEvidence();
}

// As in the styles: two sides of a diff need more.
const wide = matchMedia('(min-width: 80rem)');
const veryWide = matchMedia('(min-width: 110rem)');

/** Beside the diff where there is room, a line to open where there is not. */
export function placeEvidence(): void {
  const { matches } = app.preferences.layout === 'side' ? veryWide : wide;
  main.querySelector('.proof')?.toggleAttribute('open', matches);
}

/** The same changeset, looked at in another way. */
export function showAgain(): void {
  const changeset = current();
  if (changeset !== undefined) void show(changeset);
}

/** Those that are not shown are fetched again, as after another layout was chosen. */
export function forgetOthers(): void {
  for (const [key, article] of articles) if (!article.isConnected) articles.delete(key);
  byId('first', HTMLTemplateElement).content.replaceChildren();
}

function articleKey(changeset: ChangesetState): string {
  return `${keyOf(changeset)} ${viewQuery()}`;
}

/** The one before or after it. */
export function step(by: 1 | -1): void {
  const { changesets } = app.state;
  const at = changesets.findIndex((changeset) => keyOf(changeset) === app.shown);
  const next = changesets[at + by];
  if (next !== undefined) void show(next);
}

/** After a decision: the next one that waits, if any. */
export function showNextWaiting(): void {
  const { changesets } = app.state;
  const at = changesets.findIndex((changeset) => keyOf(changeset) === app.shown);
  const rest = [...changesets.slice(at + 1), ...changesets.slice(0, at)];
  const next = rest.find(({ state }) => state === 'waiting');
  if (next !== undefined) void show(next);
}

/** The changeset that came with the page, while it is still that one; undefined: it is another one. */
function takeFirst(changeset: ChangesetState): HTMLElement | undefined {
  const { content } = byId('first', HTMLTemplateElement);
  const { id = '', commit = '' } = content.querySelector<HTMLElement>('.changeset')?.dataset ?? {};
  if (keyOf({ id, commit }) !== keyOf(changeset) || app.ignoresSpace || app.isSince) return undefined;
  const holder = make('div', '', content);
  articles.set(articleKey(changeset), holder);
  return holder;
}

async function fetchArticle(changeset: ChangesetState): Promise<HTMLElement> {
  const holder = make('div', '');
  try {
    holder.innerHTML = await getHtml(`${urlOf(changeset)}?layout=${app.preferences.layout}&${viewQuery()}`);
    articles.set(articleKey(changeset), holder);
  } catch (error) {
    holder.append(make('p', 'warning red', error instanceof Error ? error.message : String(error)));
  }
  return holder;
}

function badges({ state, isRed }: ChangesetState): readonly HTMLElement[] {
  const red = isRed && state === 'waiting' ? [make('span', 'badge bad', 'checks fail')] : [];
  return [make('span', `badge ${state}`, state === 'void' ? 'built again' : state), ...red];
}

function renderEntry(changeset: ChangesetState): HTMLElement {
  const button = make(
    'button',
    '',
    make('span', 'group', changeset.group),
    ...badges(changeset),
    make('span', 'title', changeset.title),
  );
  button.type = 'button';
  button.dataset.id = changeset.id;
  if (keyOf(changeset) === app.shown) button.setAttribute('aria-current', 'true');
  button.addEventListener('click', () => void show(changeset));
  return make('li', '', button);
}
