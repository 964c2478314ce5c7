import { byId, createElement } from '../../page/client/dom.ts';
import { getHtml } from '../../page/client/transport.ts';
import type { ChangesetState } from '../page-facts.ts';
import { current, isRefused, keyOf, look, main, shown, state, urlOf, viewQuery } from './app.ts';
import { disarm, opened } from './decide.ts';
import { moveDrafts, rebuiltAs } from './drafts.ts';
import { startLoading } from './files.ts';
import { showViewed } from './viewed.ts';

const articles = new Map<string, HTMLElement>();

/** The list of changesets. */
export function Changesets() {
  return state.value.changesets.map((changeset) => (
    <li key={changeset.id}>
      <button
        type="button"
        data-id={changeset.id}
        aria-current={keyOf(changeset) === shown.value}
        onClick={() => void show(changeset)}
      >
        <span class="group">{changeset.group}</span>
        <span class={`badge ${changeset.state}`}>
          {changeset.state === 'void' ? 'stale' : changeset.state}
        </span>
        {changeset.isRed && changeset.state === 'waiting' && <span class="badge bad">checks fail</span>}
        <span class="title">{changeset.title}</span>
      </button>
    </li>
  ));
}

/** Shows what was built again from here, or the first that waits where what was shown is gone. */
export function showWhatWaits(): void {
  const { changesets } = state.value;
  const waiting = changesets.filter((one) => one.state === 'waiting');
  const again = waiting.find((one) => rebuiltAs(keyOf(one)) !== undefined);
  const isWriting = document.activeElement instanceof HTMLTextAreaElement;
  if (again !== undefined && keyOf(again) !== shown.value && !isWriting) {
    void show(again);
    return;
  }
  if (current.value !== undefined) return;
  const next = waiting[0] ?? changesets[0];
  if (next !== undefined) void show(next);
  else main.replaceChildren(createElement('p', 'quiet', 'Nothing to review yet.'));
}

/** Shows a changeset; those shown before are kept as they were. */
async function show(changeset: ChangesetState): Promise<void> {
  const key = keyOf(changeset);
  shown.value = key;
  moveDrafts();
  // The open answer was about another changeset.
  opened.value = null;
  disarm();
  const known = articles.get(articleKey(changeset));
  const here = known ?? takeFirst(changeset);
  // Never one changeset's lines above the buttons of another.
  if (here === undefined) main.replaceChildren(createElement('p', 'quiet', 'Loading …'));
  const article = here ?? (await fetchArticle(changeset));
  if (shown.value !== key) return;
  // Before its files are there: to scroll, a browser lays out all that is.
  scrollTo(0, 0);
  main.replaceChildren(article);
  isRefused.value = main.querySelector('#refusal') !== null;
  startLoading();
  showViewed();
  if (known === undefined) placeEvidence();
}

// As in the styles: two sides of a diff need more.
const wide = matchMedia('(min-width: 80rem)');
const veryWide = matchMedia('(min-width: 110rem)');

/** Beside the diff where there is room, a line to open where there is not. */
export function placeEvidence(): void {
  const { matches } = look.preferences.layout === 'side' ? veryWide : wide;
  main.querySelector('.proof')?.toggleAttribute('open', matches);
}

/** Shows the same changeset in another view. */
export function redrawChangeset(): void {
  const changeset = current.value;
  if (changeset !== undefined) void show(changeset);
}

/** Drops changesets that are not shown: they are fetched again, as after another layout was chosen. */
export function forgetOthers(): void {
  for (const [key, article] of articles) if (!article.isConnected) articles.delete(key);
  byId('first', HTMLTemplateElement).content.replaceChildren();
}

function articleKey(changeset: ChangesetState): string {
  return `${keyOf(changeset)} ${viewQuery()}`;
}

/** The one before or after it. */
export function showNeighbour(by: 1 | -1): void {
  const { changesets } = state.value;
  const at = changesets.findIndex((changeset) => keyOf(changeset) === shown.value);
  const next = changesets[at + by];
  if (next !== undefined) void show(next);
}

/** After a decision: the next one that waits, if any. */
export function showNextWaiting(): void {
  const { changesets } = state.value;
  const at = changesets.findIndex((changeset) => keyOf(changeset) === shown.value);
  const rest = [...changesets.slice(at + 1), ...changesets.slice(0, at)];
  const next = rest.find(({ state }) => state === 'waiting');
  if (next !== undefined) void show(next);
}

/** The changeset that came with the page, while it is still that one; undefined: it is another one. */
function takeFirst(changeset: ChangesetState): HTMLElement | undefined {
  const { content } = byId('first', HTMLTemplateElement);
  const { id = '', commit = '' } = content.querySelector<HTMLElement>('.changeset')?.dataset ?? {};
  if (keyOf({ id, commit }) !== keyOf(changeset) || look.ignoresSpace || look.isSince) return undefined;
  const holder = createElement('div', '', content);
  articles.set(articleKey(changeset), holder);
  return holder;
}

async function fetchArticle(changeset: ChangesetState): Promise<HTMLElement> {
  const holder = createElement('div', '');
  try {
    holder.innerHTML = await getHtml(`${urlOf(changeset)}?layout=${look.preferences.layout}&${viewQuery()}`);
    articles.set(articleKey(changeset), holder);
  } catch (error) {
    holder.append(createElement('p', 'warning red', error instanceof Error ? error.message : String(error)));
  }
  return holder;
}
