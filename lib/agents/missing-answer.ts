import type { Failure } from '../domain/failure.ts';
import type { AgentRequest } from '../domain/ports/agent-port.ts';
import { lastLines } from './end-failure.ts';

/** A planner or validator without an answer did nothing; elsewhere the commits decide. */
export function missingAnswer(
  { role, answerSchema }: Pick<AgentRequest, 'role' | 'answerSchema'>,
  answer: unknown,
  text: string,
): Failure | null {
  const isNeeded = answerSchema !== null && (role === 'planner' || role === 'validator');
  if (!isNeeded || (typeof answer === 'object' && answer !== null)) return null;
  return {
    kind: 'malformed-answer',
    message: `The ${role} ended without giving a structured answer.`,
    details: lastLines(text),
    retryable: true,
  };
}
