import { computed, signal } from '@preact/signals';
import type * as z from 'zod';
import { byId } from '../../page/client/dom.ts';
import { post } from '../../page/client/transport.ts';
import type { KeptReview, keepSchema } from '../kept-review.ts';
import type { ChangesetState, PagePreferences, PageState } from '../page-facts.ts';

interface Data {
  readonly state: PageState;
  readonly preferences: PagePreferences;
  readonly kept: KeptReview;
}

const data: Data = JSON.parse(document.getElementById('data')?.textContent ?? '');
/** Drafts from before this page was loaded. */
export const { kept } = data;

/** The page's current state. */
export const state = signal(data.state);
/** How often the run said that it waits for a decision. */
export const questions = signal(0);
/** Key of the changeset that is shown; '' before the first. */
export const shown = signal('');
/** The changeset that is shown. */
export const current = computed(() =>
  state.value.changesets.find((changeset) => keyOf(changeset) === shown.value),
);
/** Whether what would be drawn of it is not what it is, and it can't be approved here. */
export const isRefused = signal(false);

/** How it is looked at. */
export const look = {
  preferences: data.preferences,
  /** Lines that differ in white space alone are left out. */
  ignoresSpace: false,
  /** Only what changed since the last round, where there was one. */
  isSince: false,
};
export const main = byId('main', HTMLElement);

/** The identity of a changeset by its content: built again it is another one. */
export function keyOf({ id, commit }: Pick<ChangesetState, 'id' | 'commit'>): string {
  return `${id}/${commit}`;
}

/** As it is looked at now. */
export function viewQuery(): string {
  return `space=${look.ignoresSpace ? 'ignored' : 'shown'}&show=${look.isSince ? 'since' : 'all'}`;
}

export function urlOf({ id, commit }: Pick<ChangesetState, 'id' | 'commit'>): string {
  return `/api/changeset/${encodeURIComponent(id)}/${commit}`;
}

/** Remembers what was begun, beyond this tab. */
export function saveReview(change: z.input<typeof keepSchema>): void {
  void post('/api/keep', change);
}

export function savePreferences(preferences: PagePreferences): void {
  void post('/api/preferences', preferences);
}
