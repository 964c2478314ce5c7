import type { ChangesetDecision } from '../../domain/ports/changeset-question.ts';
import type { OfferedAnswer } from '../../domain/questions/answer-definition.ts';
import { listOfferedAnswers } from '../../domain/questions/offered-answers.ts';
import { parseAnswerToQuestion } from '../../domain/questions/parse-answer.ts';
import { hasFailedDiagnostic } from '../../domain/state/changeset-facts.ts';
import { makePrintable } from '../page/escape-html.ts';
import { createPageRefusal, type PageRefusal } from '../page/page-refusals.ts';
import { listUnchosenAttempts } from '../render/render-attempts.ts';
import type { ReviewedChangeset } from './page-facts.ts';

interface Sent {
  readonly id: string;
  /** The commit that the tab showed. */
  readonly commit: string;
  readonly decision: unknown;
  /** Changesets below that have to be approved first, as words; empty: none. */
  readonly needs: string;
  /** Whether its commit message can be edited. */
  readonly hasMessage: boolean;
}

/**
 * Parses a decision made in a tab, or returns why it is refused, as far as stored state shows it: it must be about the
 * commit that was shown. Throws FlameError `bad-answer`.
 */
export function parsePageDecision(
  facts: ReviewedChangeset | undefined,
  { id, commit, decision, needs, hasMessage }: Sent,
): ChangesetDecision | PageRefusal {
  if (facts === undefined || facts.changeset.commit !== commit)
    return createPageRefusal(409, `Changeset ${id} was rebuilt: what you saw is not what would land.`);
  const { changeset } = facts;
  const { state, decided_by: by } = changeset;
  if (state !== 'waiting')
    return createPageRefusal(409, `Changeset ${id} is already ${state}${by === null ? '' : ` by ${by}`}.`);
  const given = parseAnswerToQuestion<ChangesetDecision>(answersOnPage(facts, hasMessage), decision);
  if (given.kind !== 'approve') return given;
  if (needs !== '') return createPageRefusal(409, `Changeset ${id} is stacked on ${needs}: approve that first.`);
  return { ...given, commit };
}

/** The answers that the bar has buttons for; every text printable. */
export function listAnswersForBar(facts: ReviewedChangeset): readonly OfferedAnswer[] {
  return makePrintable(answersOnPage(facts, true).filter(({ word }) => word !== 'suggest'));
}

/** The answers to a changeset on the page; what was decided is taken back by a request of its own. */
function answersOnPage(
  { changeset, tasks }: Pick<ReviewedChangeset, 'changeset' | 'tasks'>,
  hasMessage: boolean,
): readonly OfferedAnswer[] {
  return listOfferedAnswers({
    gate: 'changesets',
    red: hasFailedDiagnostic(changeset),
    tasks: tasks.map(({ id, title }) => ({ id, title, verdict: null, notes: '' })),
    others: listUnchosenAttempts(tasks),
    has_message: hasMessage,
    undoable: [],
    takes_suggestions: true,
  });
}
