import { useLayoutEffect, useRef } from 'preact/hooks';
import { changesetStateWords } from '../../../domain/state/changeset-facts.ts';
import { formatCount } from '../../../util/format-figures.ts';
import type { ReviewPageChangeset } from '../page-facts.ts';
import { chooseChangeset } from './changesets.ts';
import { changesetContentKey, nameOfRound, reviewState, shownChangesetKey } from './review-state.ts';

/** With more, only the current one has its title, so that the files below stay in sight. */
const mostWithTitles = 2;

/** The list of changesets; those that a later one of their group replaces are folded. */
export function ReviewChangesetList() {
  const { changesets } = reviewState.value;
  const earlier = changesets.filter(({ isEarlier }) => isEarlier);
  const isEarlierShown = earlier.some(isShown);
  const latest = changesets.filter(({ isEarlier }) => !isEarlier);
  const list = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => scrollToCurrent(list.current), [shownChangesetKey.value, latest.length]);
  const isMany = latest.length > mostWithTitles;
  const at = latest.findIndex(isShown) + 1;
  return (
    <>
      {isMany && (
        <p id="changeset-place" class="label">
          {at === 0 ? formatCount(latest.length, 'changeset') : `Changeset ${at} of ${latest.length}`}
        </p>
      )}
      <ol id="changesets" class={isMany ? 'many' : ''} ref={list}>
        {latest.map(renderRow)}
      </ol>
      {earlier.length > 0 && (
        <details class="earlier" open={isEarlierShown}>
          <summary>{earlier.length === 1 ? '1 earlier round' : `${earlier.length} earlier rounds`}</summary>
          <ol>{earlier.map(renderRow)}</ol>
        </details>
      )}
    </>
  );
}

/** The row of the changeset shown, to the middle of the list; the page stays where it is. */
function scrollToCurrent(list: HTMLElement | null): void {
  const row = list?.querySelector<HTMLElement>('[aria-current="true"]')?.closest('li');
  if (!list || !row) return;
  list.scrollTop = row.offsetTop - (list.clientHeight - row.offsetHeight) / 2;
  list.scrollLeft = row.offsetLeft - (list.clientWidth - row.offsetWidth) / 2;
}

function isShown(changeset: ReviewPageChangeset): boolean {
  return changesetContentKey(changeset) === shownChangesetKey.value;
}

function renderRow(changeset: ReviewPageChangeset) {
  const { id, state, isRed, title } = changeset;
  return (
    <li key={id}>
      <button type="button" data-id={id} aria-current={isShown(changeset)} onClick={() => chooseChangeset(changeset)}>
        <span class="group">{nameOfRound(changeset)}</span>
        <span class="badges">
          <span class={`badge ${state}`}>{changesetStateWords[state]}</span>
          {isRed && state === 'waiting' && <span class="badge bad">checks fail</span>}
        </span>
        <span class="title" dir="auto">
          {title}
        </span>
      </button>
    </li>
  );
}
