import type { AgentAnswer } from '../../domain/ports/gates.ts';
import type { AgentQuestion } from '../../domain/question.ts';
import { saysSomething } from '../../util/says-something.ts';
import { badAnswer } from './refused-answers.ts';

/**
 * Answers to what an agent asks, as they were given: words, or numbers of options, from 1. Throws FlameError `bad-answer`
 * where one is missing.
 */
export function readAnswers(questions: readonly AgentQuestion[], given: readonly string[]): AgentAnswer {
  if (given.length !== questions.length)
    throw badAnswer(`${questions.length} answers are needed, and ${given.length} were given`);
  return {
    kind: 'answer',
    answers: questions.map((question, index) => readOne(question, given[index] ?? '')),
  };
}

function readOne({ options, isSeveral, question }: AgentQuestion, given: string): string {
  const text = given.trim();
  if (!saysSomething(text)) throw badAnswer(`nothing is said to: ${question}`);
  const numbers = isSeveral ? text.split(/\s*[,\s]\s*/) : [text];
  const labels = numbers.map((one) => (/^\d+$/.test(one) ? options[Number(one) - 1]?.label : undefined));
  return labels.every((label) => label !== undefined) ? labels.join(', ') : text;
}
