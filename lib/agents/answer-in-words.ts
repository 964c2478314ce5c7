import type { AgentRequest } from '../domain/ports/agent-port.ts';

/** The prompt for a CLI that can't hold its model to a schema: it is asked to end with the answer, see extractJson. */
export function promptForAnswer({
  prompt,
  answerSchema,
}: Pick<AgentRequest, 'prompt' | 'answerSchema'>): string {
  if (answerSchema === null) return prompt;
  return [
    prompt,
    'End with your answer: one JSON object by this JSON Schema, with nothing after it.',
    JSON.stringify(answerSchema),
  ].join('\n\n');
}
