import { errorMessage } from '../../../util/error-text.ts';
import { createElement, requireElementById } from '../../page/client/page-elements.ts';
import { getHtml } from '../../page/client/server-requests.ts';
import type { ReviewPageChangeset } from '../page-facts.ts';
import { findFormerChangesetKey, moveDraftsToRebuilt } from './drafts.ts';
import { prepareFileParts } from './load-file-parts.ts';
import {
  changesetContentKey,
  changesetUrl,
  isApprovalPrevented,
  mainElement,
  renderViewQuery,
  reviewState,
  shownChangeset,
  shownChangesetKey,
  viewSettings,
} from './review-state.ts';
import { clearReadyAnswer, openedAnswerForm } from './send-decision.ts';
import { showViewed } from './viewed-marks.ts';

const articles = new Map<string, HTMLElement>();

/** The list of changesets. */
export function ReviewChangesetList() {
  return reviewState.value.changesets.map((changeset) => (
    <li key={changeset.id}>
      <button
        type="button"
        data-id={changeset.id}
        aria-current={changesetContentKey(changeset) === shownChangesetKey.value}
        onClick={() => void show(changeset)}
      >
        <span class="group">{changeset.group}</span>
        <span class={`badge ${changeset.state}`}>{changeset.state === 'void' ? 'stale' : changeset.state}</span>
        {changeset.isRed && changeset.state === 'waiting' && <span class="badge bad">checks fail</span>}
        <span class="title">{changeset.title}</span>
      </button>
    </li>
  ));
}

/** Shows what was built again from here, or the first that waits where what was shown is gone. */
export function showWaitingChangeset(): void {
  const { changesets } = reviewState.value;
  const waiting = changesets.filter((one) => one.state === 'waiting');
  const again = waiting.find((one) => findFormerChangesetKey(changesetContentKey(one)) !== undefined);
  const isWriting = document.activeElement instanceof HTMLTextAreaElement;
  if (again !== undefined && changesetContentKey(again) !== shownChangesetKey.value && !isWriting) {
    void show(again);
    return;
  }
  if (shownChangeset.value !== undefined) return;
  const next = waiting[0] ?? changesets[0];
  if (next !== undefined) void show(next);
  else mainElement.replaceChildren(createElement('p', 'quiet', 'Nothing to review yet.'));
}

/** Shows a changeset; those shown before are kept as they were. */
async function show(changeset: ReviewPageChangeset): Promise<void> {
  const key = changesetContentKey(changeset);
  shownChangesetKey.value = key;
  moveDraftsToRebuilt();
  // The open answer was about another changeset.
  openedAnswerForm.value = null;
  clearReadyAnswer();
  const known = articles.get(articleKey(changeset));
  const here = known ?? takeFirst(changeset);
  // Never one changeset's lines above the buttons of another.
  if (here === undefined) mainElement.replaceChildren(createElement('p', 'quiet', 'Loading …'));
  const article = here ?? (await fetchArticle(changeset));
  if (shownChangesetKey.value !== key) return;
  // Before its files are there: to scroll, a browser lays out all that is.
  scrollTo(0, 0);
  mainElement.replaceChildren(article);
  isApprovalPrevented.value = mainElement.querySelector('#refusal') !== null;
  prepareFileParts();
  showViewed();
  if (known === undefined) placeEvidence();
}

// As in the styles: two sides of a diff need more.
const wide = matchMedia('(min-width: 80rem)');
const veryWide = matchMedia('(min-width: 110rem)');

/** Beside the diff where there is room, a line to open where there is not. */
export function placeEvidence(): void {
  const { matches } = viewSettings.preferences.layout === 'side' ? veryWide : wide;
  mainElement.querySelector('.proof')?.toggleAttribute('open', matches);
}

/** Shows the same changeset in another view. */
export function redrawChangeset(): void {
  const changeset = shownChangeset.value;
  if (changeset !== undefined) void show(changeset);
}

/** Drops changesets that are not shown: they are fetched again, as after another layout was chosen. */
export function dropHiddenChangesets(): void {
  for (const [key, article] of articles) if (!article.isConnected) articles.delete(key);
  requireElementById('first', HTMLTemplateElement).content.replaceChildren();
}

function articleKey(changeset: ReviewPageChangeset): string {
  return `${changesetContentKey(changeset)} ${renderViewQuery()}`;
}

/** The one before or after it. */
export function showNeighbour(by: 1 | -1): void {
  const { changesets } = reviewState.value;
  const at = changesets.findIndex((changeset) => changesetContentKey(changeset) === shownChangesetKey.value);
  const next = changesets[at + by];
  if (next !== undefined) void show(next);
}

/** After a decision: the next one that waits, if any. */
export function showNextWaiting(): void {
  const { changesets } = reviewState.value;
  const at = changesets.findIndex((changeset) => changesetContentKey(changeset) === shownChangesetKey.value);
  const rest = [...changesets.slice(at + 1), ...changesets.slice(0, at)];
  const next = rest.find(({ state }) => state === 'waiting');
  if (next !== undefined) void show(next);
}

/** The changeset that came with the page, while it is still that one; undefined: it is another one. */
function takeFirst(changeset: ReviewPageChangeset): HTMLElement | undefined {
  const { content } = requireElementById('first', HTMLTemplateElement);
  const { id = '', commit = '' } = content.querySelector<HTMLElement>('.changeset')?.dataset ?? {};
  if (
    changesetContentKey({ id, commit }) !== changesetContentKey(changeset) ||
    viewSettings.ignoresSpace ||
    viewSettings.isSince
  )
    return undefined;
  const holder = createElement('div', '', content);
  articles.set(articleKey(changeset), holder);
  return holder;
}

async function fetchArticle(changeset: ReviewPageChangeset): Promise<HTMLElement> {
  const holder = createElement('div', '');
  try {
    holder.innerHTML = await getHtml(
      `${changesetUrl(changeset)}?layout=${viewSettings.preferences.layout}&${renderViewQuery()}`,
    );
    articles.set(articleKey(changeset), holder);
  } catch (error) {
    holder.append(createElement('p', 'warning red', errorMessage(error)));
  }
  return holder;
}
