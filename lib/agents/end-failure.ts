import { setUnknownPriceHint } from '../domain/config/token-price.ts';
import type { Failure } from '../domain/failure.ts';
import type { AgentEnd } from '../domain/ports/adapter.ts';
import type { AgentRequest } from '../domain/ports/agent-port.ts';

/** Returns the failure that the end of a process shows, without its output; null if it ended by itself. */
export function findProcessEndFailure(end: AgentEnd, request: Pick<AgentRequest, 'timeoutMs'>): Failure | null {
  const details = takeLastOutputLines(end.stderr);
  if (end.stoppedBecause !== null) return { ...stopFailures[end.stoppedBecause], details };
  if (end.timedOut) {
    return {
      kind: 'agent-timeout',
      message: `The agent took longer than ${Math.round(request.timeoutMs / 1_000)} s.`,
      details,
      retryable: true,
    };
  }
  const signal = end.signal ?? signalOf(end.exitCode);
  if (signal === null) return null;
  return { kind: 'agent-crashed', message: `The agent was stopped by ${signal}.`, details, retryable: true };
}

/** The failure of each reason for which the cell ends an agent early. */
export const stopFailures: Readonly<
  Record<NonNullable<AgentEnd['stoppedBecause']>, Pick<Failure, 'kind' | 'message' | 'retryable'>>
> = {
  budget: {
    kind: 'budget',
    message: 'The agent spent its budget before it was done.',
    retryable: false,
  },
  'session-budget': {
    kind: 'session-budget',
    message: "The session's budget was spent before the agent was done.",
    retryable: true,
  },
  'no-price': {
    kind: 'budget',
    message: `The price of its model is not known and its budget is in dollars: ${setUnknownPriceHint}`,
    retryable: false,
  },
  'service-limit': {
    kind: 'rate-limit',
    message: 'The model API refuses requests at the moment.',
    retryable: true,
  },
  rejected: {
    kind: 'agent-error',
    message: 'The model API rejected the last requests as invalid.',
    retryable: false,
  },
  stopped: { kind: 'agent-stopped', message: 'The agent was stopped.', retryable: false },
  'canary-failed': {
    kind: 'canary-failed',
    message: 'The agent started without its watcher and was stopped.',
    retryable: false,
  },
  'unwatched-call': {
    kind: 'unwatched-call',
    message: 'A tool call bypassed the watcher, so the agent was stopped. The audit names the call.',
    retryable: false,
  },
};

/** A shell, or a CLI that caught the signal, reports it as 128 + its number. */
function signalOf(exitCode: number | null): string | null {
  const names: Readonly<Record<number, string>> = {
    134: 'SIGABRT',
    137: 'SIGKILL',
    139: 'SIGSEGV',
    143: 'SIGTERM',
    152: 'SIGXCPU',
    153: 'SIGXFSZ',
  };
  return exitCode === null ? 'a signal' : (names[exitCode] ?? null);
}

/** The last lines of an output that say something, each cut to a readable length. */
export function takeLastOutputLines(output: string, count = 10): string[] {
  return output
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-count)
    .map((line) => (line.length <= 300 ? line : `${line.slice(0, 299)}…`));
}

/** A planner or validator without an answer did nothing; elsewhere the commits decide. */
export function findMissingAnswerFailure(
  { role, answerSchema }: Pick<AgentRequest, 'role' | 'answerSchema'>,
  answer: unknown,
  text: string,
): Failure | null {
  const isNeeded = answerSchema !== null && (role === 'planner' || role === 'validator');
  if (!isNeeded || (typeof answer === 'object' && answer !== null)) return null;
  return {
    kind: 'malformed-answer',
    message: `The ${role} ended without giving a structured answer.`,
    details: takeLastOutputLines(text),
    retryable: true,
  };
}
