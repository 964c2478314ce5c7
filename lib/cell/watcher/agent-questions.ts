import {
  type AgentQuestion,
  askTool,
  maxQuestions,
  onYourOwn,
  type QuestionReply,
  questionWords,
  readQuestions,
} from '../../domain/agent-messages.ts';
import type { AgentPolicy, Decision } from '../../domain/policy.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import type { CallFacts, ReportedCall } from '../../domain/ports/call-facts.ts';
import { withoutSecret } from '../../policy/secrets/secrets.ts';

type Ask = NonNullable<AgentRequest['ask']>;

interface Asker {
  readonly calls: Pick<CallFacts, 'asks'> | null;
  readonly ask?: Ask | undefined;
  readonly policy: Pick<AgentPolicy, 'blocked_tools'>;
}

/** Reads a call's questions to the person; null: it has none, or the agent may not ask: it is judged as any other. */
export function parseQuestions(
  call: ReportedCall,
  { calls, ask, policy }: Asker,
): readonly AgentQuestion[] | null {
  if (ask === undefined || calls?.asks?.tool !== call.name) return null;
  if ([askTool, call.name].some((name) => policy.blocked_tools.includes(name))) return null;
  return readQuestions(call.input);
}

/** Builds the audit's line about questions; replyAuditLine builds that about the reply. */
export function questionAuditLine(questions: readonly AgentQuestion[]): Decision {
  return { decision: 'allow', rule: 'question-asked', details: withoutSecret(questionWords(questions)) };
}

export function replyAuditLine(questions: readonly AgentQuestion[], reply: QuestionReply): Decision {
  if (reply.kind === 'proceed') return { decision: 'allow', rule: 'question-unanswered', details: reply.why };
  const details = withoutSecret(answersInWords(questions, reply.answers));
  return { decision: 'allow', rule: 'question-answered', details };
}

/** The reply as the reason of a block: what it is a refusal of is the call alone. */
export function replyAsReason(questions: readonly AgentQuestion[], reply: QuestionReply): Decision {
  const details =
    reply.kind === 'proceed'
      ? `${reply.why} ${onYourOwn}`
      : `This is not a refusal: the person has answered. ${answersInWords(questions, reply.answers)}`;
  return { decision: 'block', rule: 'person-asked', details };
}

function answersInWords(questions: readonly AgentQuestion[], answers: readonly string[]): string {
  return questions
    .map(({ question }, index) => `${JSON.stringify(question)}: ${JSON.stringify(answers[index] ?? '')}`)
    .join('; ');
}

/** Asks so often and no more: what runs in a cell can ask as often as it likes, and a person is asked each time. */
export function limitQuestions(ask: Ask): Ask {
  let asked = 0;
  return async (questions, signal) => {
    asked += 1;
    if (asked > maxQuestions)
      return { kind: 'proceed', why: `You have already asked ${maxQuestions} times.` };
    return ask(questions, signal).catch(
      (): QuestionReply => ({ kind: 'proceed', why: 'The question could not be shown to a person.' }),
    );
  };
}
