import { byId } from '../../page/client/dom.ts';
import type { KeptReview } from '../kept-review.ts';
import type { PagePreferences } from '../page-facts.ts';
import type { ChangesetState, PageState } from '../page-state.ts';

/** What the page knows now. */
interface App {
  state: PageState;
  preferences: PagePreferences;
  /** How often the run said that it waits for a decision. */
  questions: number;
  /** What was begun before this page was loaded. */
  readonly kept: KeptReview;
  /** Lines that differ in white space alone are left out. */
  ignoresSpace: boolean;
  /** Only what changed since the last round, where there was one. */
  isSince: boolean;
  /** Key of the changeset that is shown; '' before the first. */
  shown: string;
}

interface Data {
  readonly state: PageState;
  readonly preferences: PagePreferences;
  readonly kept: KeptReview;
}

const data: Data = JSON.parse(document.getElementById('data')?.textContent ?? '');

export const app: App = { ...data, questions: 0, ignoresSpace: false, isSince: false, shown: '' };
export const main = byId('main', HTMLElement);

/** The identity of a changeset by its content: built again it is another one. */
export function keyOf({ id, commit }: Pick<ChangesetState, 'id' | 'commit'>): string {
  return `${id}/${commit}`;
}

/** The changeset that is shown. */
export function current(): ChangesetState | undefined {
  return app.state.changesets.find((changeset) => keyOf(changeset) === app.shown);
}

/** As it is looked at now. */
export function viewQuery(): string {
  return `space=${app.ignoresSpace ? 'ignored' : 'shown'}&show=${app.isSince ? 'since' : 'all'}`;
}

export function urlOf({ id, commit }: Pick<ChangesetState, 'id' | 'commit'>): string {
  return `/api/changeset/${encodeURIComponent(id)}/${commit}`;
}
