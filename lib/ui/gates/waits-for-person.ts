import { FlameError, type FlameErrorInit } from '../../domain/flame-error.ts';
import type { ChangesetQuestion, Excluding, OnTop } from '../../domain/ports/changeset-question.ts';
import type { PlanQuestion, ValidatorFailedQuestion } from '../../domain/ports/gates.ts';
import { isRed } from '../../domain/state/is-red.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { formatCount } from '../../util/format-amount.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-id.ts';
import { tellingLines } from '../../util/telling-lines.ts';
import { renderExcluding } from '../render/render-excluding.ts';
import { renderOnTop } from '../render/render-on-top.ts';
import { renderTold } from '../render/render-told.ts';
import { visibleLine, visibleText } from '../text/visible-text.ts';

/** The gates by the name their list has in a decisions file. */
export type GateName =
  | 'plan'
  | 'validation'
  | 'validator_failed'
  | 'changesets'
  | 'session'
  | 'budget'
  | 'question';

export interface WaitingGate {
  readonly gate: GateName;
  /** What is waiting, as the subject of a sentence: `The plan`. */
  readonly subject: string;
  /** The decisions, as a decisions file writes them. */
  readonly answers: string;
  /** Commands that answer just this question. */
  readonly commands?: readonly string[];
  /** What the person has to know to decide. */
  readonly details?: readonly string[];
  /** The same for programs. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * The FlameError of a gate that no person can answer: `resume` is the command to continue with at a terminal.
 * State is saved before a gate is asked.
 */
export function waitsForPerson(waiting: WaitingGate, resume: string): FlameError {
  const { gate, subject, answers, details = [] } = waiting;
  const session = / --session \S+$/.exec(resume)?.[0] ?? '';
  const commands = (waiting.commands ?? []).map((command) => command + session);
  return unanswered(`${subject} waits for a person.`, {
    details: [...details, `Answer at a terminal, or in a file for --decisions-file: ${gate}: [${answers}]`],
    hints: [...commands, resume, `${resume} --decisions-file FILE`],
    data: { gate, ...waiting.data },
  });
}

/** The same for a question that no file can answer. */
export function unanswered(
  message: string,
  init: Pick<FlameErrorInit, 'details' | 'hints' | 'data'>,
): FlameError {
  return new FlameError({ ...init, kind: 'waiting', code: 'waits-for-person', message });
}

/** The changeset gate, with the commands that decide it. */
export function waitingChangeset(
  { changeset }: ChangesetQuestion,
  isRed: boolean,
  {
    onTop = [],
    excluding = [],
  }: { readonly onTop?: readonly OnTop[]; readonly excluding?: readonly Excluding[] } = {},
): WaitingGate {
  const command = `git flame review --changeset ${shellQuote(changeset.group)}`;
  return {
    gate: 'changesets',
    subject: `Changeset ${changeset.group}${isRed ? ', whose diagnostics fail,' : ''}`,
    answers: isRed ? '{override: REASON} | {reject: REASON} | skip' : 'approve | {reject: REASON} | skip',
    details: [
      `It is commit ${shortId(changeset.commit)}.`,
      ...renderOnTop(onTop),
      ...renderExcluding(excluding),
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
    commands: [
      isRed ? `${command} --override REASON` : `${command} --approve`,
      `${command} --reject REASON`,
      `${command} --skip`,
    ],
  };
}

/** The plan gate; a plan with mistakes can't be approved. */
export function waitingPlan({
  problems,
  received = [],
  told = [],
}: Pick<PlanQuestion, 'problems' | 'received' | 'told'>): WaitingGate {
  const subject = 'What was received from another clone';
  const all = [...received, ...renderTold(told, Number.POSITIVE_INFINITY)];
  if (problems.length === 0)
    return received.length === 0 ? waitingGates.plan : { ...waitingGates.plan, subject, details: all };
  if (received.length > 0)
    return {
      ...{ gate: 'plan', subject: `${subject} has mistakes, and` },
      answers: '{edit: FILE} | {replan: NOTES} | quit',
      details: [...all, ...problems],
    };
  return {
    gate: 'plan',
    subject: `The plan, which has ${formatCount(problems.length, 'mistake')},`,
    answers: '{edit: FILE} | {replan: NOTES} | quit',
    commands: ['git flame plan --from FILE'],
    details: problems,
  };
}

export const waitingGates = {
  plan: { gate: 'plan', subject: 'The plan', answers: 'approve | {edit: FILE} | {replan: NOTES} | quit' },
  session: {
    gate: 'session',
    subject: 'The next cycle',
    answers: 'continue | retry | {replan: NOTES} | stop',
  },
  budget: { gate: 'budget', subject: 'The spent budget', answers: '{raise: AMOUNT} | stop' },
} as const satisfies Readonly<Record<string, WaitingGate>>;

/** The diagnostics that failed, each with what tells most of what it printed. */
function failures({ diagnostics }: Pick<Verdict, 'diagnostics'>): readonly string[] {
  return diagnostics
    .filter(({ exit_code: code }) => code !== 0)
    .flatMap((run) => {
      const how = run.timed_out ? 'it took too long' : `exit ${run.exit_code ?? 'by a signal'}`;
      const lines = tellingLines(visibleText(run.output), 10);
      return [
        `Failed: ${visibleLine(run.command)} (${how})`,
        ...lines.filter((line) => line !== '').map((line) => `  ${line}`),
      ];
    });
}

export function waitingValidation(task: string): WaitingGate {
  return {
    gate: 'validation',
    subject: `${task}, which failed its validation,`,
    answers: '{requeue: NOTES} | recheck | {override: REASON} | drop',
    commands: [
      `git flame validate ${task} --requeue NOTES`,
      `git flame validate ${task} --recheck`,
      `git flame validate ${task} --override REASON`,
    ],
  };
}

export function waitingValidator(question: ValidatorFailedQuestion): WaitingGate {
  const red = isRed(question);
  return {
    gate: 'validator_failed',
    subject: `${question.task.id}, whose ${red ? 'diagnostics fail and whose ' : ''}validator failed twice,`,
    answers: red ? 'retry | {override: REASON} | skip' : 'retry | manual | skip',
  };
}
