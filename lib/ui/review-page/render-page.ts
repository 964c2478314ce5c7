import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blockingGroup, isRed } from '../../domain/state/changeset-facts.ts';
import { titleOf } from '../../domain/state/session-facts.ts';
import { packageRoot } from '../../util/own-folders.ts';
import { fillTemplate, inlineJson, readTemplate } from '../page/page-template.ts';
import { visibleLine, whoDecided } from '../text/visible-text.ts';
import type { KeptReview } from './kept-review.ts';
import type {
  ChangesetFacts,
  ChangesetState,
  PageFacts,
  PagePhase,
  PagePreferences,
  PageState,
} from './page-facts.ts';
import { shownAnswers } from './read-decision.ts';

interface PageParts {
  readonly facts: PageFacts;
  readonly state: PageState;
  readonly preferences: PagePreferences;
  readonly kept: KeptReview;
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
    title: titleOf(session),
    nonce,
    theme: preferences.theme,
    layout: preferences.layout,
    article,
    style: readTemplate('page.css') + readTemplate('review.css'),
    script: readFileSync(join(packageRoot(), 'dist', 'review-page.js'), 'utf8'),
    data: inlineJson({ state, preferences, kept }),
  });
}

/** The state as tabs get it: every text printable. */
export function renderState(facts: PageFacts, phase: PagePhase, message: string): PageState {
  return {
    phase,
    message: visibleLine(message),
    changesets: facts.changesets.map((one) => changesetState(one, facts.changesets)),
  };
}

function changesetState(facts: ChangesetFacts, all: readonly ChangesetFacts[]): ChangesetState {
  const { changeset, tasks, isUndoable } = facts;
  const needs = blockingGroup(
    all.map((one) => one.changeset),
    changeset,
  );
  return {
    id: changeset.id,
    group: visibleLine(changeset.group),
    title: tasks.map(({ title }) => visibleLine(title)).join(' + '),
    tasks: tasks.map(({ id, title }) => ({ id, title: visibleLine(title) })),
    commit: changeset.commit,
    state: changeset.state,
    reason: visibleLine(changeset.reason ?? ''),
    by: visibleLine(whoDecided(changeset) ?? ''),
    isRed: isRed(changeset),
    needs: visibleLine(needs?.group ?? ''),
    isUndoable,
    answers: shownAnswers(facts),
    insertions: changeset.diffstat.insertions,
    deletions: changeset.diffstat.deletions,
  };
}
