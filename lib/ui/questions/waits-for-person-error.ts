import { FlameError, type FlameErrorInit } from '../../domain/flame-error.ts';
import type {
  ChangesetQuestion,
  ConflictingChangeset,
  StackedWorkOutcome,
} from '../../domain/ports/changeset-question.ts';
import type {
  BudgetQuestion,
  PlanQuestion,
  ValidationQuestion,
  ValidatorFailedQuestion,
} from '../../domain/ports/gates.ts';
import type { ChangesetAnswerFacts } from '../../domain/questions/changeset-answers.ts';
import {
  type AnswerableQuestionData,
  listAnsweringOptions,
  renderDecisionsFileForms,
} from '../../domain/questions/offered-answers.ts';
import type { QuestionData, SessionQuestionData } from '../../domain/questions/question-data.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { pickFailureLines } from '../../util/error-text.ts';
import { formatCount } from '../../util/format-figures.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { renderExcludingChangesets, renderRejectionEffects } from '../render/changeset-lines.ts';
import { renderAgentTexts } from '../render/render-plan.ts';
import { toPrintableLine, toPrintableText } from '../text/printable-text.ts';
import { buildPlanQuestionData } from './prepare-plan-question.ts';
import { buildValidationQuestionData, buildValidatorQuestionData } from './prepare-validation-questions.ts';

/** The gates by the name their list has in a decisions file. */
export type DecisionsFileGate = Exclude<QuestionData['gate'], 'base'>;

export interface UnansweredGate {
  readonly gate: DecisionsFileGate;
  /** The thing that waits, as the subject of a sentence: `The plan`. */
  readonly subject: string;
  /** The decisions, as a decisions file writes them. */
  readonly answers: string;
  /** Commands that answer just this question. */
  readonly commands?: readonly string[];
  /** Facts that the person needs to decide. */
  readonly details?: readonly string[];
  /** Facts for programs. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * The FlameError of a gate that no person can answer: `resume` is the command to continue with at a terminal.
 * State is saved before a gate is asked.
 */
export function waitsForPersonError(waiting: UnansweredGate, resume: string): FlameError {
  const { gate, subject, answers, details = [] } = waiting;
  const session = / --session \S+$/.exec(resume)?.[0] ?? '';
  const commands = (waiting.commands ?? []).map((command) => command + session);
  return unanswerableByFileError(`${subject} waits for a person.`, {
    details: [...details, `Answer at a terminal, or in a file for --decisions-file: ${gate}: [${answers}]`],
    hints: [...commands, resume, `${resume} --decisions-file FILE`],
    data: { gate, ...waiting.data },
  });
}

/** The same FlameError for a question that no file can answer. */
export function unanswerableByFileError(
  message: string,
  init: Pick<FlameErrorInit, 'details' | 'hints' | 'data'>,
): FlameError {
  return new FlameError({ ...init, kind: 'waiting', code: 'waits-for-person', message });
}

/** A gate by what is asked there: the answers that the table has for it, and the options of `command` that give them. */
function waitingAt(
  asks: AnswerableQuestionData & { readonly gate: DecisionsFileGate },
  { command, ...about }: Pick<UnansweredGate, 'subject' | 'details' | 'data'> & { readonly command?: string },
): UnansweredGate {
  return {
    ...about,
    gate: asks.gate,
    answers: renderDecisionsFileForms(asks).join(' | '),
    commands: command === undefined ? [] : listAnsweringOptions(asks).map((flag) => `${command} ${flag}`),
  };
}

/** The changeset gate, with the commands that decide it. */
export function describeUnansweredChangeset(
  { changeset }: Pick<ChangesetQuestion, 'changeset'>,
  facts: ChangesetAnswerFacts,
  {
    onTop = [],
    excluding = [],
  }: {
    readonly onTop?: readonly StackedWorkOutcome[];
    readonly excluding?: readonly ConflictingChangeset[];
  } = {},
): UnansweredGate {
  return waitingAt(facts, {
    command: `git flame review --changeset ${shellQuote(changeset.group)}`,
    subject: `Changeset ${changeset.group}${facts.red ? ', whose diagnostics fail,' : ''}`,
    details: [
      `It is commit ${shortId(changeset.commit)}.`,
      ...renderRejectionEffects(onTop),
      ...renderExcludingChangesets(excluding),
      ...failures(changeset),
    ],
    data: {
      ...(onTop.length === 0 ? {} : { on_top: onTop }),
      ...(excluding.length === 0
        ? {}
        : {
            excluding: excluding.map(({ group, isApproved, paths }) => ({
              group,
              is_approved: isApproved,
              paths,
            })),
          }),
    },
  });
}

/** The plan gate; a plan with mistakes can't be approved. */
export function describeWaitingPlan(question: PlanQuestion): UnansweredGate {
  const { problems, received = [], agentTexts = [] } = question;
  const isReceived = received.length > 0;
  const mistakes = `which has ${formatCount(problems.length, 'mistake')},`;
  const what = isReceived ? 'What was received from another clone' : 'The plan';
  const how = problems.length === 0 ? '' : isReceived ? ' has mistakes, and' : `, ${mistakes}`;
  const waiting = waitingAt(buildPlanQuestionData(question), {
    subject: `${what}${how}`,
    details: [
      ...(isReceived ? [...received, ...renderAgentTexts(agentTexts, Number.POSITIVE_INFINITY)] : []),
      ...problems,
    ],
  });
  const isByHand = problems.length > 0 && !isReceived;
  return isByHand ? { ...waiting, commands: ['git flame plan --from FILE'] } : waiting;
}

export function describeWaitingSession(asks: SessionQuestionData): UnansweredGate {
  return waitingAt(asks, { subject: 'The next cycle' });
}

export function describeWaitingBudget(question: BudgetQuestion): UnansweredGate {
  return waitingAt({ gate: 'budget', ...question }, { subject: 'The question about the spent budget' });
}

/** The failed diagnostics, each with the lines of its output that show the failure. */
function failures({ diagnostics }: Pick<Verdict, 'diagnostics'>): readonly string[] {
  return diagnostics
    .filter(({ exit_code: code }) => code !== 0)
    .flatMap((run) => {
      const how = run.timed_out ? 'timed out' : `exit ${run.exit_code ?? 'by a signal'}`;
      const lines = pickFailureLines(toPrintableText(run.output), 10);
      return [
        `Failed: ${toPrintableLine(run.command)} (${how})`,
        ...lines.filter((line) => line !== '').map((line) => `  ${line}`),
      ];
    });
}

export function describeWaitingValidation(question: Pick<ValidationQuestion, 'task' | 'verdict'>): UnansweredGate {
  const { id } = question.task;
  return waitingAt(buildValidationQuestionData(question), {
    subject: `${id}, which failed its validation,`,
    command: `git flame validate ${id}`,
    // Of a failing check, they end in what it printed.
    details: question.verdict.issues.map(toPrintableText),
  });
}

export function describeWaitingValidator(question: ValidatorFailedQuestion): UnansweredGate {
  const asks = buildValidatorQuestionData(question);
  const red = asks.red ? 'diagnostics fail and whose ' : '';
  return waitingAt(asks, { subject: `${asks.task}, whose ${red}validator failed twice,` });
}
