import type { ChangesetDecision, ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import type { ChangesetAnswerFacts } from '../../domain/questions/changeset-answers.ts';
import { toGuideData } from '../../domain/questions/guide-summary.ts';
import { listOfferedAnswers } from '../../domain/questions/offered-answers.ts';
import { badAnswerError, parseAnswerToQuestion } from '../../domain/questions/parse-answer.ts';
import type { ChangesetQuestionData, UndoableChangeset } from '../../domain/questions/question-data.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { describeIncompleteChangeset, findVerdictOf, hasFailedDiagnostic } from '../../domain/state/changeset-facts.ts';
import { formatCount } from '../../util/format-figures.ts';
import {
  renderAnsweredRemarks,
  renderEvidenceDoubt,
  renderExcludingChangesets,
  renderRejectionEffects,
} from '../render/changeset-lines.ts';
import { listUnchosenAttempts } from '../render/render-attempts.ts';
import { describeDiagnosticResult } from './prepare-validation-questions.ts';
import { cutLongDiff, type PreparedQuestion } from './prepared-question.ts';

const wholeOnPage = 'the review page shows all of it: git flame review --web';

export async function prepareChangesetQuestion(
  question: ChangesetQuestion,
): Promise<PreparedQuestion<ChangesetDecision>> {
  const asks = await describe(question);
  return {
    asks,
    substance: question.changeset,
    about: `changeset ${question.changeset.group}`,
    decide: (given) => parseChangesetDecision(question, given),
    text: async (what) => {
      if (what === 'message') return (await question.showMessage?.()) ?? null;
      return what === 'diff' ? cutLongDiff(await question.showDiff(), wholeOnPage) : null;
    },
  };
}

/** Facts that its answers depend on, as they are now. */
export async function readChangesetAnswerFacts(question: ChangesetQuestion): Promise<ChangesetAnswerFacts> {
  const { changeset, tasks, verdicts } = question;
  return {
    gate: 'changesets',
    red: hasFailedDiagnostic(changeset),
    tasks: tasks.map((task) => {
      const own = findVerdictOf(task, verdicts);
      return {
        id: task.id,
        title: task.title,
        verdict: own?.status ?? null,
        notes: [own?.notes ?? '', ...(own?.issues ?? [])].filter(Boolean).join('\n'),
      };
    }),
    others: listUnchosenAttempts(tasks),
    has_message: question.showMessage !== undefined,
    undoable: ((await question.undoable?.()) ?? []).map(describeUndoableChangeset),
  };
}

/** Turns an answer into a decision. Throws FlameError `bad-answer`. */
export async function parseChangesetDecision(question: ChangesetQuestion, answer: unknown): Promise<ChangesetDecision> {
  const facts = await readChangesetAnswerFacts(question);
  const given = parseAnswerToQuestion<ChangesetDecision>(listOfferedAnswers(facts), answer);
  if (given.kind === 'approve' && given.message !== undefined) {
    // Said before the answer counts: the landing would refuse it, and end the run.
    const wrong = (await question.checkMessage?.(question.changeset.id, given.message)) ?? null;
    if (wrong !== null) throw badAnswerError(wrong.replace(/\.$/, ''));
  }
  if (given.kind !== 'reject' || given.tasks?.length !== facts.tasks.length) return given;
  const { tasks: _, ...all } = given;
  return all;
}

async function describe(question: ChangesetQuestion): Promise<ChangesetQuestionData> {
  const { changeset, position, total, tasks } = question;
  const guide = (await question.readGuide?.()) ?? null;
  const { id, group, commit, diffstat, depends_on, missing } = changeset;
  const answers = renderAnsweredRemarks(changeset, tasks);
  const onTop = (await question.onTop?.(id)) ?? [];
  return {
    ...(await readChangesetAnswerFacts(question)),
    id,
    group,
    commit,
    diffstat,
    depends_on,
    missing,
    position,
    total,
    ...(answers.length === 0 ? {} : { answers }),
    ...(guide === null ? {} : { guide: toGuideData(guide) }),
    checks: changeset.diagnostics.map(describeDiagnosticResult),
    warnings: await warningsOf(question),
    on_top: renderRejectionEffects(onTop),
  };
}

async function warningsOf(question: ChangesetQuestion): Promise<readonly string[]> {
  const { changeset, doubts = [], blocked = [] } = question;
  return [
    ...describeIncompleteChangeset(changeset),
    ...doubts.map(renderEvidenceDoubt),
    ...blocked.map(
      ({ agent, blocked: calls, top }) =>
        `${agent}: ${formatCount(calls, 'call')} blocked${top.length === 0 ? '' : `: ${top.join('; ')}`}`,
    ),
    ...renderExcludingChangesets((await question.excluding?.(changeset.id)) ?? []),
  ];
}

export function describeUndoableChangeset({ id, group, state, reason }: Changeset): UndoableChangeset {
  return { id, group, state, reason: reason ?? '' };
}
