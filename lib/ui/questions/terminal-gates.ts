import type { AgentQuestion } from '../../domain/agent-messages.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type {
  AgentAnswer,
  AskedAgentQuestions,
  BaseDecision,
  BudgetDecision,
  BudgetQuestion,
  FailingBaseQuestion,
  Gates,
  PlanDecision,
  PlanQuestion,
  SessionQuestion,
  UnfinishedSessionDecision,
} from '../../domain/ports/gates.ts';
import { listOfferedAnswers } from '../../domain/questions/offered-answers.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { formatClock, formatTokens, formatUsd } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { renderCycleEnd } from '../render/render-cycle.ts';
import { renderNextCommand } from '../render/render-error.ts';
import { renderPlan, renderWorkerRequests } from '../render/render-plan.ts';
import { toPrintableLine, toPrintableText } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import { askUntilDecided } from './ask-answer.ts';
import { askChoice, askLine, type TerminalAsking } from './ask-at-terminal.ts';
import { askChangesetDecision } from './ask-changeset.ts';
import { askAfterValidatorFailed, askValidationDecision } from './ask-validation.ts';
import { createGateContext, type GateContext, type GateSettings } from './gate-context.ts';
import { createKeptComments } from './kept-line-comments.ts';
import {
  buildPlanQuestionData,
  createPlanTextEditing,
  type PlanTextFormat,
  preparePlanQuestion,
} from './prepare-plan-question.ts';
import {
  buildSessionQuestionData,
  checkAnswersToAgent,
  prepareBudgetQuestion,
  prepareFailingBaseQuestion,
  prepareLeftOverQuestion,
  prepareSessionQuestion,
} from './prepare-run-questions.ts';
import type { PreparedQuestion } from './prepared-question.ts';
import {
  describeWaitingBudget,
  describeWaitingPlan,
  describeWaitingSession,
  type UnansweredGate,
  unanswerableByFileError,
} from './waits-for-person-error.ts';

export interface TerminalGatesOptions extends GateSettings, PlanTextFormat {
  readonly person: string;
  /** Called before each question, with what withdraws it: resolves when the terminal is free, to what gives it back. */
  readonly lendTerminal?: (withdrawn: AbortSignal | undefined) => Promise<() => void>;
}

/** Gates at a terminal; each question can be withdrawn while it is asked, when it was answered elsewhere. */
export type TerminalGates = (elsewhere?: OtherAnsweringPlaces) => CompleteGates;

/** Gates that always ask. */
export interface CompleteGates extends Required<Gates> {
  leftOver(question: SessionQuestion): Promise<UnfinishedSessionDecision>;
}

/** Gates a person answers at the terminal: questions on stderr, answers from stdin. */
export function createTerminalGates(io: Io, options: TerminalGatesOptions): TerminalGates {
  const kept = createKeptComments();
  return ({ withdrawn, openPage } = {}) => {
    const context = createGateContext(io, options, withdrawn);
    const inTurn = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
      const giveBack = await options.lendTerminal?.(withdrawn);
      return ask().finally(giveBack);
    };
    return {
      person: options.person,
      isInteractive: true,
      plan: (question) => inTurn(() => askPlan(context, question, options)),
      validation: (question) => inTurn(() => askValidationDecision(context, question)),
      validatorFailed: (question) => inTurn(() => askAfterValidatorFailed(context, question)),
      changeset: (question) => inTurn(() => askChangesetDecision(context, question, { kept, openPage })),
      session: (question) => inTurn(() => askSession(context, question, prepareSessionQuestion(question))),
      leftOver: (question) => inTurn(() => askSession(context, question, prepareLeftOverQuestion(question))),
      budget: (question) => inTurn(() => askBudget(context, question)),
      base: (question) => inTurn(() => askBase(context, question)),
      question: (question) => inTurn(() => askForAgent(context, question)),
    };
  };
}

/** Links questions at the terminal with other places. */
export interface OtherAnsweringPlaces {
  /** Aborts when the question was answered there. */
  readonly withdrawn?: AbortSignal | undefined;
  /** Opens the review page; absent where there is none, or it is open already. */
  readonly openPage?: (() => Promise<void>) | undefined;
}

/** Whether a person can be asked: questions need stdin and stderr at a terminal. */
export function hasTerminal(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** Shows a plan and asks what becomes of it; one with mistakes can't be approved. */
async function askPlan(context: GateContext, question: PlanQuestion, text: PlanTextFormat): Promise<PlanDecision> {
  const { style, print } = context;
  const plans = createPlanTextEditing(text);
  const { asks, decide } = preparePlanQuestion(question, plans);
  print(renderPlan(question, style));
  if (question.replansLeft === 0) {
    print('No re-plans are left: edit this plan, or write your own.');
    print(renderNextCommand('git flame plan --from FILE', style));
  }
  const edit = async (): Promise<PlanDecision | null> => {
    const plan = await context.edit({
      fileName: 'plan.yml',
      text: await plans.format(question.plan),
      parse: (edited) => plans.parse(edited, question),
    });
    return plan === null ? null : { kind: 'edit', plan };
  };
  const view = async (): Promise<null> => {
    await context.view(renderWorkerRequests(question.plan, style));
    return null;
  };
  const asking = context.asking(describeWaitingPlan(question));
  const quit = async (): Promise<PlanDecision | null> => {
    asking.print(`If you quit, ${toPrintableLine(buildPlanQuestionData(question).quit_means)}.`);
    return (await askChoice(asking, quitting)) === 'y' ? { kind: 'quit' } : null;
  };
  const acts = [
    { label: '(v)iew', act: view },
    { label: '(e)dit', act: edit },
    { label: '(q)uit', act: quit },
  ];
  return askUntilDecided(() => ({ asking, answers: listOfferedAnswers(asks), acts, before: 'edit', decide }));
}

const quitting = [
  { key: 'y', label: '(y)es, quit' },
  { key: 'n', label: '(n)o' },
] as const;

/** After a review, or where nothing is open any more: another cycle, another plan, or the end. */
function askSession<Decision>(
  context: GateContext,
  question: SessionQuestion,
  prepared: PreparedQuestion<Decision>,
): Promise<Decision> {
  context.print(renderCycleEnd(question, context.style));
  if (prepared.asks.gate === 'session') for (const line of prepared.asks.lines) context.print(line);
  return askPlainly(context, prepared, describeWaitingSession(buildSessionQuestionData(question)));
}

/** The session's budget is spent: add to it, or stop. */
function askBudget(context: GateContext, question: BudgetQuestion): Promise<BudgetDecision> {
  const { spent, limit, unit } = question;
  const format = unit === 'usd' ? formatUsd : formatTokens;
  context.print(context.style.bold(`The session's budget is spent: ${format(spent)} of ${format(limit)}.`));
  return askPlainly(context, prepareBudgetQuestion(question), describeWaitingBudget(question));
}

/** Diagnostics fail before any agent worked: pay agents all the same, or stop. */
function askBase(context: GateContext, question: FailingBaseQuestion): Promise<BaseDecision> {
  context.print(context.style.bold(`${question.failing.map(toPrintableLine).join('; ')}.`));
  context.print('Agents would be paid for work that cannot pass.');
  const hints = ['git flame work'];
  const message = 'Diagnostics fail on the base: whether agents work anyway waits for a person.';
  return askPlainly(context, prepareFailingBaseQuestion(question), unanswerableByFileError(message, { hints }));
}

/** Asks by the table alone. */
function askPlainly<Decision>(
  context: GateContext,
  { asks, decide }: PreparedQuestion<Decision>,
  waiting: UnansweredGate | FlameError,
): Promise<Decision> {
  const asking = context.asking(waiting);
  return askUntilDecided(() => ({ asking, answers: listOfferedAnswers(asks), decide }));
}

/** Asks an agent's questions one by one: answers by number or in words; Enter alone leaves it to the agent. */
async function askForAgent(
  context: GateContext,
  { agent, task, title, questions, until }: AskedAgentQuestions,
): Promise<AgentAnswer> {
  const about = task === null ? title : `${task}: ${title}`;
  context.print(context.style.bold(`${agent} asks (${toPrintableLine(about)})`));
  const asking = context.asking(
    unanswerableByFileError('The question of an agent waits for a person.', { hints: ['git flame answer'] }),
  );
  const given: string[] = [];
  for (const one of questions) {
    const { question, options } = one;
    context.print(quoted(question, context.style));
    for (const [index, { label, description }] of options.entries())
      context.print(quoted(`${index + 1} ${label}${description === '' ? '' : `: ${description}`}`, context.style));
    const answer = await askOne(context, asking, { question: one, until });
    if (answer === null) return { kind: 'proceed' };
    given.push(answer);
  }
  return checkAnswersToAgent(questions, { kind: 'answer', answers: given });
}

/** Asks until there is an answer; null: it is left to the agent. */
async function askOne(
  context: GateContext,
  asking: TerminalAsking,
  { question, until }: { readonly question: AgentQuestion; readonly until: string },
): Promise<string | null> {
  const { options, isSeveral } = question;
  const how = options.length === 0 ? '' : isSeveral ? 'numbers, or your own words; ' : 'a number, or your own words; ';
  for (;;) {
    const answer = await askOrEnd(
      asking,
      `Answer (${how}Enter, or none by ${formatClock(until)}: it continues without one): `,
    );
    if (answer.trim() === '') return null;
    try {
      checkAnswersToAgent([question], { kind: 'answer', answers: [answer] });
      return answer;
    } catch (error) {
      if (!(error instanceof FlameError) || error.kind !== 'refused') throw error;
      context.print(toPrintableLine(error.message));
    }
  }
}

const mostLines = 20;

/** An agent's words behind a mark, so that none of them is taken for this program's. */
function quoted(text: string, style: Style): string {
  const lines = toPrintableText(text)
    .split('\n')
    .flatMap((line) => wrapText(line, style.width - mark.length));
  const rest = lines.length - mostLines;
  const more = rest > 0 ? [`and ${rest} more lines: git flame answer shows them`] : [];
  return [...lines.slice(0, mostLines).map((line) => `${mark}${line}`), ...more].join('\n');
}

const mark = '  │ ';

/** Sends Ctrl-C to the run: else its agent alone would get the answer that no person can be asked. */
async function askOrEnd(asking: TerminalAsking, prompt: string): Promise<string> {
  try {
    return await askLine(asking, prompt);
  } catch (error) {
    if (error instanceof FlameError && error.code === 'interrupted') process.kill(process.pid, 'SIGINT');
    throw error;
  }
}
