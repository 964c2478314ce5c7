import { effect } from '@preact/signals';
import { errorMessage } from '../../../util/error-text.ts';
import { createElement, requireElementById, waitsInTitle } from '../../page/client/page-elements.ts';
import { getHtml } from '../../page/client/server-requests.ts';
import type { ReviewPageChangeset } from '../page-facts.ts';
import { findFormerChangesetKey, hasShownDrafts, moveDraftsToRebuilt } from './drafts.ts';
import { findFile, scrollToFile } from './file-place.ts';
import { viewedWords } from './file-tree.ts';
import { prepareFileParts } from './load-file-parts.ts';
import { readPageAddress, writePageAddress } from './page-address.ts';
import {
  changesetContentKey,
  changesetUrl,
  isApprovalPrevented,
  mainElement,
  nameOfRound,
  renderViewQuery,
  reviewState,
  shownChangeset,
  shownChangesetKey,
  viewSettings,
} from './review-state.ts';
import { clearReadyAnswer, openedAnswerForm } from './send-decision.ts';
import { showViewed } from './viewed-marks.ts';

const articles = new Map<string, HTMLElement>();

/** Whether the person went to what is shown: then it stays, although another one waits. */
let isChosen = false;

/** Shows a changeset because the person went there. */
export function chooseChangeset(changeset: ReviewPageChangeset, path: string | null = null): void {
  isChosen = true;
  writePageAddress({ changeset: changeset.id, path }, true);
  void show(changeset, path);
}

/** Shows what the address of the page names; false: there is no such changeset. */
export function showAddressed(): boolean {
  const address = readPageAddress();
  const changeset = reviewState.value.changesets.find(({ id }) => id === address?.changeset);
  if (address === null || changeset === undefined) return false;
  isChosen = true;
  void show(changeset, address.path);
  return true;
}

/** Continues with what was built again from here, or with the first that waits once what is shown was decided. */
export function showWaitingChangeset(): void {
  const { changesets } = reviewState.value;
  const waiting = changesets.filter((one) => one.state === 'waiting');
  const again = waiting.find((one) => findFormerChangesetKey(changesetContentKey(one)) !== undefined);
  const { value: shown } = shownChangeset;
  const isWriting = document.activeElement instanceof HTMLTextAreaElement;
  if (again !== undefined && again !== shown && !isWriting) {
    showNext(again);
    return;
  }
  if (shown !== undefined && (shown.state === 'waiting' || isChosen || isWriting || hasShownDrafts())) return;
  const id = shownChangesetKey.value.split('/')[0];
  const next = waiting.find((one) => one.id === id) ?? waiting[0] ?? (shown === undefined ? changesets[0] : undefined);
  if (next !== undefined) showNext(next);
  else if (shown === undefined) mainElement.replaceChildren(createElement('p', 'quiet', 'Nothing to review yet.'));
}

function showNext(changeset: ReviewPageChangeset): void {
  writePageAddress({ changeset: changeset.id, path: null }, false);
  void show(changeset);
}

/** Shows a changeset; those shown before are kept as they were. */
async function show(changeset: ReviewPageChangeset, path: string | null = null): Promise<void> {
  const key = changesetContentKey(changeset);
  shownChangesetKey.value = key;
  moveDraftsToRebuilt();
  // The open answer was about another changeset.
  openedAnswerForm.value = null;
  viewedWords.value = '';
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
  if (known === undefined) {
    placeEvidence();
    foldManyLooks();
  }
  const file = path === null ? null : findFile(path);
  if (file !== null) scrollToFile(file);
}

const { title: pageTitle } = document;

effect(() => {
  const { value: shown } = shownChangeset;
  if (shown === undefined) return;
  const waits = shown.state === 'waiting' && reviewState.value.phase === 'deciding';
  document.title = [...(waits ? [waitsInTitle] : []), nameOfRound(shown), pageTitle].join(' · ');
});

// As in the styles.
const wide = matchMedia('(min-width: 110rem)');
wide.addEventListener('change', placeEvidence);

/** Beside the diff where that leaves the diff enough room, a line to open above it where not. */
function placeEvidence(): void {
  mainElement.querySelector('.proof')?.toggleAttribute('open', wide.matches);
}

const narrow = matchMedia('(max-width: 60rem)');
/** As many reasons to look twice leave room for the diff on the first screen of a phone. */
const mostReasons = 6;

function foldManyLooks(): void {
  const looks = mainElement.querySelector<HTMLElement>('.looks');
  if (narrow.matches && Number(looks?.dataset.reasons) > mostReasons) looks?.removeAttribute('open');
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

/** The one before or after it, as they are listed. */
export function showNeighbour(by: 1 | -1): void {
  const { changesets } = reviewState.value;
  const listed = [
    ...changesets.filter(({ isEarlier }) => !isEarlier),
    ...changesets.filter(({ isEarlier }) => isEarlier),
  ];
  const next = listed[listed.findIndex((one) => changesetContentKey(one) === shownChangesetKey.value) + by];
  if (next !== undefined) chooseChangeset(next);
}

/** After a decision: the next one that waits, if any. */
export function showNextWaiting(): void {
  isChosen = false;
  const next = findNextWaiting();
  if (next !== undefined) showNext(next);
}

/** The first that waits after the one shown, and then before it; undefined: no other one waits. */
export function findNextWaiting(): ReviewPageChangeset | undefined {
  const { changesets } = reviewState.value;
  const at = changesets.findIndex((changeset) => changesetContentKey(changeset) === shownChangesetKey.value);
  return [...changesets.slice(at + 1), ...changesets.slice(0, Math.max(0, at))].find(
    ({ state }) => state === 'waiting',
  );
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
