import type { AgentQuestion } from '../../domain/agent-messages.ts';
import type {
  AgentAnswer,
  AgentAsked,
  BaseDecision,
  BaseQuestion,
  BudgetDecision,
  BudgetQuestion,
  LeftOverDecision,
  SessionDecision,
  SessionQuestion,
} from '../../domain/ports/gates.ts';
import type { AskedSession } from '../../domain/questions/gate.ts';
import { badAnswer } from '../../domain/questions/parse-answer.ts';
import { isNonBlank } from '../../util/error-lines.ts';
import { cycleFacts, leftOverOutlook, sessionOutlook, tasksInTrouble } from '../render/render-cycle.ts';
import { describeUndoable } from './about-changeset.ts';
import { plainQuestion, type Question } from './about-question.ts';

export function aboutSession(question: SessionQuestion): Question<SessionDecision> {
  return plainQuestion(sessionAsks(question), { about: 'the next cycle' });
}

export function aboutLeftOver(question: SessionQuestion): Question<LeftOverDecision> {
  return plainQuestion(leftOverAsks(question), { about: 'what is left' });
}

export function sessionAsks(question: SessionQuestion): AskedSession {
  const { cyclesLeft, summary, undoable = [] } = question;
  const more = ['continue', ...(summary.failed > 0 ? ['retry' as const] : []), 'replan'] as const;
  return askedSession(question, {
    answers: [...(cyclesLeft > 0 ? more : []), 'stop', ...(undoable.length === 0 ? [] : ['undo' as const])],
    lines: sessionOutlook(question),
  });
}

export function leftOverAsks(question: SessionQuestion): AskedSession {
  return askedSession(question, {
    answers: [...(question.summary.failed > 0 ? ['retry' as const] : []), 'replan', 'stop'],
    lines: leftOverOutlook(question),
  });
}

function askedSession(
  question: SessionQuestion,
  { answers, lines }: Pick<AskedSession, 'answers' | 'lines'>,
): AskedSession {
  const { session, cyclesLeft, undoable = [] } = question;
  return {
    gate: 'session',
    answers,
    cycle: session.cycle,
    cycles_left: cyclesLeft,
    lines: [
      ...cycleFacts(question).map(([name, value]) => `${name}: ${value}`),
      ...tasksInTrouble(question).map(
        ({ id, status, why }) => `${id} ${status}: ${why.split('\n', 1)[0] ?? ''}`,
      ),
      ...lines,
    ],
    undoable: undoable.map(describeUndoable),
  };
}

export function aboutBudget(question: BudgetQuestion): Question<BudgetDecision> {
  return plainQuestion({ gate: 'budget', ...question }, { about: 'the budget' });
}

export function aboutBase({ commit, failing }: BaseQuestion): Question<BaseDecision> {
  const about = 'the base, whose checks fail';
  return plainQuestion({ gate: 'base', failing }, { about, substance: { commit } });
}

/** Question of an agent at work. */
export function aboutAgent({ agent, task, title, questions, until }: AgentAsked): Question<AgentAnswer> {
  const plain = plainQuestion<AgentAnswer>(
    { gate: 'question', agent, task, title, questions, until },
    { about: `what ${agent} asked` },
  );
  return { ...plain, decide: async (answer) => readAnswers(questions, await plain.decide(answer)) };
}

/**
 * Answers to what an agent asks, as they were given: words, or numbers of options, from 1. Throws FlameError `bad-answer`
 * where one is missing.
 */
export function readAnswers(questions: readonly AgentQuestion[], given: AgentAnswer): AgentAnswer {
  if (given.kind === 'proceed') return given;
  const { answers = [] }: Partial<typeof given> = given;
  if (answers.length !== questions.length)
    throw badAnswer(`${questions.length} answers are needed, and ${answers.length} were given`);
  return {
    kind: 'answer',
    answers: questions.map((question, index) => readOne(question, answers[index] ?? '')),
  };
}

function readOne({ options, isSeveral, question }: AgentQuestion, given: string): string {
  const text = given.trim();
  if (!isNonBlank(text)) throw badAnswer(`there is no answer to: ${question}`);
  const numbers = isSeveral ? text.split(/\s*[,\s]\s*/) : [text];
  const labels = numbers.map((one) => (/^\d+$/.test(one) ? options[Number(one) - 1]?.label : undefined));
  return labels.every((label) => label !== undefined) ? labels.join(', ') : text;
}
