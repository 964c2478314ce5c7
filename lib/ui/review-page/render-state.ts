import { blockingGroup, isRed } from '../../domain/state/changeset-facts.ts';
import { whoDecided } from '../text/person-name.ts';
import { visibleLine } from '../text/visible-text.ts';
import type { ChangesetFacts, PageFacts } from './page-facts.ts';
import type { ChangesetState, PagePhase, PageState } from './page-state.ts';
import { shownAnswers } from './read-decision.ts';

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
