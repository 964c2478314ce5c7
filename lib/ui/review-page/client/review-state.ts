import { computed, signal } from '@preact/signals';
import type * as z from 'zod';
import { requireElementById } from '../../page/client/page-elements.ts';
import { postJson } from '../../page/client/server-requests.ts';
import type { PageState, ReviewPageChangeset, ReviewPagePreferences } from '../page-facts.ts';
import type { reviewChangeSchema, UnfinishedReview } from '../unfinished-review.ts';

interface Data {
  readonly state: PageState;
  readonly preferences: ReviewPagePreferences;
  readonly kept: UnfinishedReview;
}

const data: Data = JSON.parse(document.getElementById('data')?.textContent ?? '');
/** Drafts from before this page was loaded. */
export const { kept } = data;

/** The page's current state. */
export const reviewState = signal(data.state);
/** How often the run said that it waits for a decision. */
export const waitingSignalCount = signal(0);
/** Key of the changeset that is shown; '' before the first. */
export const shownChangesetKey = signal('');
/** The changeset that is shown. */
export const shownChangeset = computed(() =>
  reviewState.value.changesets.find((changeset) => changesetContentKey(changeset) === shownChangesetKey.value),
);
/** Whether what would be drawn of it is not what it is, and it can't be approved here. */
export const isApprovalPrevented = signal(false);

/** How it is looked at. */
export const viewSettings = {
  preferences: data.preferences,
  /** Lines that differ in white space alone are left out. */
  ignoresSpace: false,
  /** Only what changed since the last round, where there was one. */
  isSince: false,
};
export const mainElement = requireElementById('main', HTMLElement);

/** The identity of a changeset by its content: built again it is another one. */
export function changesetContentKey({ id, commit }: Pick<ReviewPageChangeset, 'id' | 'commit'>): string {
  return `${id}/${commit}`;
}

/** Its group, and which round it is where it has had one before. */
export function nameOfRound({ group, round }: ReviewPageChangeset): string {
  return round === 1 ? group : `${group} · round ${round}`;
}

/** As it is looked at now. */
export function renderViewQuery(): string {
  return `space=${viewSettings.ignoresSpace ? 'ignored' : 'shown'}&show=${viewSettings.isSince ? 'since' : 'all'}`;
}

export function changesetUrl({ id, commit }: Pick<ReviewPageChangeset, 'id' | 'commit'>): string {
  return `/api/changeset/${encodeURIComponent(id)}/${commit}`;
}

/** Why what was begun last is in this tab alone; '': it is not. */
export const whyUnsaved = signal('');

/** Remembers what was begun, beyond this tab. */
export function saveUnfinishedReview(change: z.input<typeof reviewChangeSchema>): void {
  void postJson('/api/keep', change).then(({ problem }) => {
    whyUnsaved.value = problem;
  });
}

export function savePreferences(preferences: ReviewPagePreferences): void {
  void postJson('/api/preferences', preferences);
}
