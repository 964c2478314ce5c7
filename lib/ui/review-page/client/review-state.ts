import { computed, signal } from '@preact/signals';
import type * as z from 'zod';
import { closestElement, requireElementById } from '../../page/client/page-elements.ts';
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

/** Where the server has something of the file that an element of the page is in. */
export function urlInFile(element: HTMLElement, what: string): string {
  const file = closestElement(element, '.file')?.dataset.index ?? '';
  const { id = '', commit = '' } = closestElement(element, '.changeset')?.dataset ?? {};
  return `${changesetUrl({ id, commit })}/${file}/${what}?layout=${viewSettings.preferences.layout}&${renderViewQuery()}`;
}

/** Why what was begun last is in this tab alone; '': it is not. */
export const whyUnsaved = signal('');

type UnfinishedChange = z.input<typeof reviewChangeSchema>;

/** What is not kept yet, by what it is about: the newest of each. */
const unkept = new Map<string, UnfinishedChange>();
const retryMs = 2_000;

/** Remembers what was begun, beyond this tab; tries again while that fails. */
export function saveUnfinishedReview(change: UnfinishedChange): void {
  const about = change.kind === 'draft' ? change.changeset : change.mark;
  unkept.set(about, change);
  void keep(about, change);
}

async function keep(about: string, change: UnfinishedChange): Promise<void> {
  const { problem } = await postJson('/api/keep', change);
  const isNewest = unkept.get(about) === change;
  if (isNewest && problem === '') unkept.delete(about);
  whyUnsaved.value = unkept.size === 0 ? '' : problem || whyUnsaved.value;
  if (!isNewest || problem === '') return;
  // The way to a run that seems to have ended may only be cut.
  setTimeout(() => {
    if (unkept.get(about) === change) void keep(about, change);
  }, retryMs);
}

export function savePreferences(preferences: ReviewPagePreferences): void {
  void postJson('/api/preferences', preferences);
}
