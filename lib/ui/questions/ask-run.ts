import type { FlameError } from '../../domain/flame-error.ts';
import type {
  BaseDecision,
  BaseQuestion,
  BudgetDecision,
  BudgetQuestion,
  LeftOverDecision,
  SessionDecision,
  SessionQuestion,
} from '../../domain/ports/gates.ts';
import { answersTo } from '../../domain/questions/answers-to.ts';
import { formatTokens, formatUsd } from '../../util/format-figures.ts';
import { renderCycle } from '../render/render-cycle.ts';
import { leftOverOutlook, sessionOutlook } from '../render/render-outlook.ts';
import { visibleLine } from '../text/visible-text.ts';
import type { Question } from './about-question.ts';
import { aboutBase, aboutBudget, aboutLeftOver, aboutSession, sessionAsks } from './about-run.ts';
import { askUntilDecided } from './ask-answer.ts';
import type { GateContext } from './gate-context.ts';
import { unanswered, type WaitingGate, waitingBudget, waitingSession } from './waits-for-person.ts';

/** After a review: another cycle, another plan, or the end. */
export function askSession(context: GateContext, question: SessionQuestion): Promise<SessionDecision> {
  sayCycle(context, question, sessionOutlook(question));
  return askPlainly(context, aboutSession(question), waitingSession(sessionAsks(question)));
}

/** Nothing is open any more, but not all of it was done: once more, another plan, or the end. */
export function askLeftOver(context: GateContext, question: SessionQuestion): Promise<LeftOverDecision> {
  sayCycle(context, question, leftOverOutlook(question));
  return askPlainly(context, aboutLeftOver(question), waitingSession(sessionAsks(question)));
}

function sayCycle({ say, style }: GateContext, question: SessionQuestion, outlook: readonly string[]): void {
  say(renderCycle(question, style));
  for (const line of outlook) say(line);
}

/** The session's budget is spent: add to it, or stop. */
export function askBudget(context: GateContext, question: BudgetQuestion): Promise<BudgetDecision> {
  const { spent, limit, unit } = question;
  const format = unit === 'usd' ? formatUsd : formatTokens;
  context.say(context.style.bold(`The session's budget is spent: ${format(spent)} of ${format(limit)}.`));
  return askPlainly(context, aboutBudget(question), waitingBudget(question));
}

/** Diagnostics fail before any agent worked: pay agents all the same, or stop. */
export function askBase(context: GateContext, question: BaseQuestion): Promise<BaseDecision> {
  context.say(context.style.bold(`${question.failing.map(visibleLine).join('; ')}.`));
  context.say('Agents would be paid for work that cannot pass.');
  const hints = ['git flame work'];
  const message = 'Whether agents work although diagnostics fail on the base waits for a person.';
  return askPlainly(context, aboutBase(question), unanswered(message, { hints }));
}

/** Asks by the table alone. */
function askPlainly<Decision>(
  context: GateContext,
  { asks, decide }: Question<Decision>,
  waiting: WaitingGate | FlameError,
): Promise<Decision> {
  const asking = context.asking(waiting);
  return askUntilDecided(() => ({ asking, answers: answersTo(asks), decide }));
}
