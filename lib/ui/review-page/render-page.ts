import type { Changeset } from '../../domain/state/changeset.ts';
import { findBlockingChangeset, hasFailedDiagnostic } from '../../domain/state/changeset-facts.ts';
import { deriveSessionTitle } from '../../domain/state/session-facts.ts';
import { joinTitles } from '../../util/format-width.ts';
import { fillTemplate, readPageScript, readTemplate, renderInlineJson } from '../page/page-template.ts';
import { nameDecider, toPrintableLine } from '../text/printable-text.ts';
import type {
  PageFacts,
  PagePhase,
  PageState,
  ReviewedChangeset,
  ReviewPageChangeset,
  ReviewPagePreferences,
} from './page-facts.ts';
import { listAnswersForBar } from './parse-page-decision.ts';
import type { UnfinishedReview } from './unfinished-review.ts';

/** In a row of the list. */
const titlesWidth = 72;

interface PageParts {
  readonly facts: PageFacts;
  readonly state: PageState;
  readonly preferences: ReviewPagePreferences;
  readonly kept: UnfinishedReview;
  /** The changeset that is shown first, as HTML; '': the page asks for it. */
  readonly article: string;
  /** The nonce that allows styles and the script. */
  readonly nonce: string;
}

/** The page around the changesets: all it needs is in it. */
export function renderPage({ facts, state, preferences, kept, article, nonce }: PageParts): string {
  const { session } = facts;
  return fillTemplate('review', {
    session,
    title: deriveSessionTitle(session),
    nonce,
    theme: preferences.theme,
    layout: preferences.layout,
    article,
    style: readTemplate('page.css') + readTemplate('review.css'),
    script: readPageScript('review'),
    data: renderInlineJson({ state, preferences, kept }),
  });
}

/** The state as tabs get it: every text printable. */
export function renderState(facts: PageFacts, phase: PagePhase, message: string): PageState {
  const all = facts.changesets.map(({ changeset }) => changeset);
  return {
    phase,
    message: toPrintableLine(message),
    changesets: facts.changesets.map((one) => changesetState(one, all)),
  };
}

function changesetState(facts: ReviewedChangeset, all: readonly Changeset[]): ReviewPageChangeset {
  const { changeset, tasks, isUndoable } = facts;
  const titles = tasks.map(({ title }) => toPrintableLine(title));
  const needs = findBlockingChangeset(all, changeset);
  return {
    id: changeset.id,
    group: toPrintableLine(changeset.group),
    ...roundOf(changeset, all),
    title: joinTitles(titles, titlesWidth),
    tasks: tasks.map(({ id, title }) => ({ id, title: toPrintableLine(title) })),
    commit: changeset.commit,
    state: changeset.state,
    reason: toPrintableLine(changeset.reason ?? ''),
    by: toPrintableLine(nameDecider(changeset) ?? ''),
    isRed: hasFailedDiagnostic(changeset),
    needs: toPrintableLine(needs?.group ?? ''),
    isUndoable,
    answers: listAnswersForBar(facts),
    insertions: changeset.diffstat.insertions,
    deletions: changeset.diffstat.deletions,
  };
}

/** After a part of it was sent back, or in the next cycle, a group has another changeset. */
function roundOf(
  { id, group, state }: Changeset,
  all: readonly Changeset[],
): Pick<ReviewPageChangeset, 'round' | 'isEarlier'> {
  const rounds = all.filter((one) => one.group === group).map((one) => one.id);
  return { round: rounds.indexOf(id) + 1, isEarlier: state !== 'waiting' && rounds.at(-1) !== id };
}
