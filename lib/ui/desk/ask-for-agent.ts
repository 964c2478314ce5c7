import * as z from 'zod';
import type { AgentAnswer, AgentAsked } from '../../domain/ports/gates.ts';
import { type DeskQuestion, noText, parseAnswer } from './desk-question.ts';
import { readAnswers } from './read-answers.ts';

const schema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('answer'), answers: z.array(z.string().max(50_000)).max(20) }),
  z.strictObject({ kind: z.literal('proceed') }),
]);

/** What an agent asks while it works. */
export function aboutAgent({ agent, task, title, questions, until }: AgentAsked): DeskQuestion<AgentAnswer> {
  return {
    ...{ asks: { gate: 'question', agent, task, title, questions, until }, text: noText },
    about: `what ${agent} asked`,
    read: async (answer) => {
      const given = parseAnswer(schema, answer);
      return given.kind === 'answer' ? readAnswers(questions, given.answers) : given;
    },
  };
}
