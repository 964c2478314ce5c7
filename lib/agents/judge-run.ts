import type { Failure } from '../domain/failure.ts';
import type { AgentEnd } from '../domain/ports/adapter.ts';
import type { AgentRequest } from '../domain/ports/agent-port.ts';
import { classifyError } from './classify-error.ts';
import { endFailure, lastLines } from './end-failure.ts';
import { missingAnswer } from './missing-answer.ts';

/** The signs of how a run ended, of a CLI whose events report the end. */
export interface RunSigns {
  readonly request: AgentRequest;
  readonly end: AgentEnd;
  /** Whether its first event came. */
  readonly hasBegun: boolean;
  /** How often it reported its end; more than once: another program in the cell forged such a report. */
  readonly ends: number;
  /** The last message of its error channel, with the API's status where there is one; never what an agent wrote. */
  readonly error: { readonly status: number | null; readonly text: string } | null;
  readonly answer: unknown;
  /** Its last words. */
  readonly text: string;
}

/** Whether a run did what it was started for; null is yes. An exit code of 0 alone proves nothing. */
export function judgeRun(signs: RunSigns): Failure | null {
  const { request, end, ends } = signs;
  const own = endFailure(end, request);
  if (end.stoppedBecause === 'canary-failed' || end.stoppedBecause === 'unwatched-call') return own;
  if (ends > 1) return forgedEnd(ends);
  if (ends === 1 && end.exitCode === 0) return missingAnswer(request, signs.answer, signs.text);
  // The API's message is the reason behind a kill or a time-out, and shows whether waiting would help.
  return (end.stoppedBecause === null ? apiFailure(signs) : null) ?? own ?? otherEnd(signs);
}

function apiFailure({ error, end }: RunSigns): Failure | null {
  const said = error ?? { status: null, text: end.stderr };
  return classifyError({ ...said, at: end.at });
}

function forgedEnd(ends: number): Failure {
  return {
    kind: 'forged-result',
    message: `The agent's output holds ${ends} ends where there can be one: none of them is believed.`,
    details: [],
    retryable: false,
  };
}

function otherEnd({ error, end, hasBegun }: RunSigns): Failure {
  const code = end.exitCode ?? 'unknown';
  const details = [...(error === null ? [] : [error.text]), ...lastLines(end.stderr)];
  if (!hasBegun)
    return {
      kind: 'agent-error',
      message: `The agent could not start (exit code ${code}).`,
      details,
      retryable: false,
    };
  if (error !== null)
    return { kind: 'agent-error', message: 'The agent ended with an error.', details, retryable: true };
  return {
    kind: 'agent-crashed',
    message: `The agent ended before its work was done (exit code ${code}).`,
    details,
    retryable: true,
  };
}
