import { changesetStateWords } from '../../../domain/state/changeset-facts.ts';
import type { ReviewPageChangeset } from '../page-facts.ts';
import { chooseChangeset } from './changesets.ts';
import { changesetContentKey, nameOfRound, reviewState, shownChangesetKey } from './review-state.ts';

/** The list of changesets; those that a later one of their group replaces are folded. */
export function ReviewChangesetList() {
  const { changesets } = reviewState.value;
  const earlier = changesets.filter(({ isEarlier }) => isEarlier);
  const isEarlierShown = earlier.some(isShown);
  return (
    <>
      <ol id="changesets">{changesets.filter(({ isEarlier }) => !isEarlier).map(renderRow)}</ol>
      {earlier.length > 0 && (
        <details class="earlier" open={isEarlierShown}>
          <summary>{earlier.length === 1 ? '1 earlier round' : `${earlier.length} earlier rounds`}</summary>
          <ol>{earlier.map(renderRow)}</ol>
        </details>
      )}
    </>
  );
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
        <span class="title">{title}</span>
      </button>
    </li>
  );
}
