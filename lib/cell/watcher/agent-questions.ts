import {
  type AgentQuestion,
  type AgentQuestionReply,
  askPersonToolName,
  goOnWithoutAnswerMessage,
  maxQuestions,
  readQuestions,
  renderAgentQuestions,
} from '../../domain/agent-messages.ts';
import type { AgentPolicy, CallDecision } from '../../domain/agent-policy.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import type { CallHookFacts, ReportedCall } from '../../domain/ports/call-facts.ts';
import { redactIfSecret } from '../../policy/secrets/find-secrets.ts';

type Ask = NonNullable<AgentRequest['ask']>;

interface Asker {
  readonly calls: Pick<CallHookFacts, 'asks'> | null;
  readonly ask?: Ask | undefined;
  readonly policy: Pick<AgentPolicy, 'blocked_tools'>;
}

/** Reads a call's questions to the person; null: it has none, or the agent may not ask: it is judged as any other. */
export function parseQuestions(call: ReportedCall, { calls, ask, policy }: Asker): readonly AgentQuestion[] | null {
  if (ask === undefined || calls?.asks?.tool !== call.name) return null;
  if ([askPersonToolName, call.name].some((name) => policy.blocked_tools.includes(name))) return null;
  return readQuestions(call.input);
}

/** Builds the audit's line about questions; buildReplyAuditLine builds that about the reply. */
export function buildQuestionAuditLine(questions: readonly AgentQuestion[]): CallDecision {
  return {
    decision: 'allow',
    rule: 'question-asked',
    details: redactIfSecret(renderAgentQuestions(questions)),
  };
}

export function buildReplyAuditLine(questions: readonly AgentQuestion[], reply: AgentQuestionReply): CallDecision {
  if (reply.kind === 'proceed') return { decision: 'allow', rule: 'question-unanswered', details: reply.why };
  const details = redactIfSecret(answersInWords(questions, reply.answers));
  return { decision: 'allow', rule: 'question-answered', details };
}

/** The reply as the reason of a block: what it is a refusal of is the call alone. */
export function buildReplyBlock(questions: readonly AgentQuestion[], reply: AgentQuestionReply): CallDecision {
  const details =
    reply.kind === 'proceed'
      ? `${reply.why} ${goOnWithoutAnswerMessage}`
      : `This is not a refusal: the person has answered. ${answersInWords(questions, reply.answers)}`;
  return { decision: 'block', rule: 'person-asked', details };
}

function answersInWords(questions: readonly AgentQuestion[], answers: readonly string[]): string {
  return questions
    .map(({ question }, index) => `${JSON.stringify(question)}: ${JSON.stringify(answers[index] ?? '')}`)
    .join('; ');
}

/** Asks so often and no more: what runs in a cell can ask as often as it likes, and a person is asked each time. */
export function limitNumberOfQuestions(ask: Ask): Ask {
  let asked = 0;
  return async (questions, signal) => {
    asked += 1;
    if (asked > maxQuestions) return { kind: 'proceed', why: `You have already asked ${maxQuestions} times.` };
    return ask(questions, signal).catch(
      (): AgentQuestionReply => ({ kind: 'proceed', why: 'The question could not be shown to a person.' }),
    );
  };
}
