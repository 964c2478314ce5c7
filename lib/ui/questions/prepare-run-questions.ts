import type { AgentQuestion } from '../../domain/agent-messages.ts';
import type {
  AgentAnswer,
  AskedAgentQuestions,
  BaseDecision,
  BudgetDecision,
  BudgetQuestion,
  FailingBaseQuestion,
  SessionDecision,
  SessionQuestion,
  UnfinishedSessionDecision,
} from '../../domain/ports/gates.ts';
import { badAnswerError } from '../../domain/questions/parse-answer.ts';
import type { SessionQuestionData } from '../../domain/questions/question-data.ts';
import { isNonBlank } from '../../util/error-text.ts';
import {
  describeLeftOverAnswers,
  describeSessionAnswers,
  listCycleResults,
  listTroubledTasks,
} from '../render/render-cycle.ts';
import { describeUndoableChangeset } from './prepare-changeset-question.ts';
import { type PreparedQuestion, prepareSimpleQuestion } from './prepared-question.ts';

export function prepareSessionQuestion(question: SessionQuestion): PreparedQuestion<SessionDecision> {
  return prepareSimpleQuestion(buildSessionQuestionData(question), { about: 'the next cycle' });
}

export function prepareLeftOverQuestion(question: SessionQuestion): PreparedQuestion<UnfinishedSessionDecision> {
  return prepareSimpleQuestion(buildLeftOverQuestionData(question), { about: 'what is left' });
}

export function buildSessionQuestionData(question: SessionQuestion): SessionQuestionData {
  const { cyclesLeft, summary, undoable = [] } = question;
  const more = ['continue', ...(summary.failed > 0 ? ['retry' as const] : []), 'replan'] as const;
  return askedSession(question, {
    answers: [...(cyclesLeft > 0 ? more : []), 'stop', ...(undoable.length === 0 ? [] : ['undo' as const])],
    lines: describeSessionAnswers(question),
  });
}

export function buildLeftOverQuestionData(question: SessionQuestion): SessionQuestionData {
  return askedSession(question, {
    answers: [...(question.summary.failed > 0 ? ['retry' as const] : []), 'replan', 'stop'],
    lines: describeLeftOverAnswers(question),
  });
}

function askedSession(
  question: SessionQuestion,
  { answers, lines }: Pick<SessionQuestionData, 'answers' | 'lines'>,
): SessionQuestionData {
  const { session, cyclesLeft, undoable = [] } = question;
  return {
    gate: 'session',
    answers,
    cycle: session.cycle,
    cycles_left: cyclesLeft,
    results: listCycleResults(question),
    troubled: listTroubledTasks(question).map((task) => ({ ...task, why: task.why.split('\n', 1)[0] ?? '' })),
    lines,
    undoable: undoable.map(describeUndoableChangeset),
  };
}

export function prepareBudgetQuestion(question: BudgetQuestion): PreparedQuestion<BudgetDecision> {
  return prepareSimpleQuestion({ gate: 'budget', ...question }, { about: 'the budget' });
}

export function prepareFailingBaseQuestion({ commit, failing }: FailingBaseQuestion): PreparedQuestion<BaseDecision> {
  const about = 'the base, whose checks fail';
  return prepareSimpleQuestion({ gate: 'base', failing }, { about, substance: { commit } });
}

/** Question of an agent at work. */
export function prepareAgentQuestion({
  agent,
  task,
  title,
  questions,
  until,
}: AskedAgentQuestions): PreparedQuestion<AgentAnswer> {
  const plain = prepareSimpleQuestion<AgentAnswer>(
    { gate: 'question', agent, task, title, questions, until },
    { about: `what ${agent} asked` },
  );
  return { ...plain, decide: async (answer) => checkAnswersToAgent(questions, await plain.decide(answer)) };
}

/**
 * Answers to what an agent asks, as they were given: words, or numbers of options, from 1. Throws FlameError `bad-answer`
 * where one is missing.
 */
export function checkAnswersToAgent(questions: readonly AgentQuestion[], given: AgentAnswer): AgentAnswer {
  if (given.kind === 'proceed') return given;
  const { answers = [] }: Partial<typeof given> = given;
  if (answers.length !== questions.length)
    throw badAnswerError(`${questions.length} answers are needed, and ${answers.length} were given`);
  return {
    kind: 'answer',
    answers: questions.map((question, index) => readOne(question, answers[index] ?? '')),
  };
}

function readOne({ options, isSeveral, question }: AgentQuestion, given: string): string {
  const text = given.trim();
  if (!isNonBlank(text)) throw badAnswerError(`there is no answer to: ${question}`);
  const numbers = isSeveral ? text.split(/\s*[,\s]\s*/) : [text];
  const labels = numbers.map((one) => (/^\d+$/.test(one) ? options[Number(one) - 1]?.label : undefined));
  return labels.every((label) => label !== undefined) ? labels.join(', ') : text;
}
