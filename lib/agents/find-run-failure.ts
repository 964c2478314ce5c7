import type { Failure } from '../domain/failure.ts';
import type { AgentEnd } from '../domain/ports/adapter.ts';
import type { AgentRequest } from '../domain/ports/agent-port.ts';
import { classifyModelApiError } from './classify-error.ts';
import { findMissingAnswerFailure, findProcessEndFailure, stopFailures, takeLastOutputLines } from './end-failure.ts';

/** The content of an error channel, which no agent wrote, with the API's status where there is one. */
export interface ReportedError {
  readonly status: number | null;
  readonly text: string;
}

/** The signs of how a run ended, of a CLI whose events report the end. */
interface AgentRunSigns {
  readonly request: AgentRequest;
  readonly end: AgentEnd;
  /** Whether its first event came. */
  readonly hasBegun: boolean;
  /** How often it reported its end; more than once: another program in the cell forged such a report. */
  readonly endCount: number;
  readonly error: ReportedError | null;
  readonly answer: unknown;
  /** Its last words. */
  readonly text: string;
}

/** Whether a run did what it was started for; null is yes. An exit code of 0 alone proves nothing. */
export function findRunFailure(signs: AgentRunSigns): Failure | null {
  const { request, end, endCount } = signs;
  const own = findProcessEndFailure(end, request);
  if (end.stoppedBecause === 'canary-failed' || end.stoppedBecause === 'unwatched-call') return own;
  if (endCount > 1) return forgedEnd(endCount, 'ends');
  if (endCount === 1 && end.exitCode === 0) return findMissingAnswerFailure(request, signs.answer, signs.text);
  // The API's message is the reason behind a kill or a time-out, and shows whether waiting would help.
  return (end.stoppedBecause === null ? apiFailure(signs) : null) ?? own ?? otherEnd(signs);
}

function apiFailure({ error, end }: AgentRunSigns): Failure | null {
  const said = error ?? { status: null, text: end.stderr };
  return classifyModelApiError({ ...said, at: end.at });
}

/** A CLI reports one, at its end: another was written by something else in the cell, and may be any of them. */
function forgedEnd(count: number, what: 'ends' | 'results'): Failure {
  return {
    kind: 'forged-result',
    message: `The agent's output holds ${count} ${what}, but only one is possible, so none of them counts.`,
    details: [],
    retryable: false,
  };
}

function otherEnd({ error, end, hasBegun }: Pick<AgentRunSigns, 'error' | 'end' | 'hasBegun'>): Failure {
  const code = end.exitCode ?? 'unknown';
  const details = [...(error === null ? [] : [error.text]), ...takeLastOutputLines(end.stderr)];
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

/** The final `result` event, its fields checked. */
export interface ClaudeResultEvent {
  readonly subtype: string;
  readonly isError: boolean;
  /** HTTP status of the API's last error. */
  readonly status: number | null;
  readonly turns: number;
  readonly text: string;
  readonly errors: readonly string[];
  readonly answer: unknown;
  readonly cost_usd: number;
  readonly tokens: number;
}

interface ClaudeRunSigns extends Pick<AgentRunSigns, 'request' | 'end' | 'hasBegun'> {
  /** The first one. */
  readonly result: ClaudeResultEvent | null;
  /** How many there were. */
  readonly results: number;
}

/**
 * Whether a run did what it was started for; null is yes. No single sign is enough: API errors come with
 * subtype `success`, unknown commands and missing answers with exit code 0, a kill with no result at all.
 */
export function findClaudeRunFailure({ request, end, result, results, hasBegun }: ClaudeRunSigns): Failure | null {
  const own = findProcessEndFailure(end, request);
  if (end.stoppedBecause === 'canary-failed' || end.stoppedBecause === 'unwatched-call') return own;
  if (results > 1) return forgedEnd(results, 'results');
  if (request.isInteractive) return own ?? interactiveFailure(end);
  if (result !== null && isSuccess(result, end)) return findMissingAnswerFailure(request, result.answer, result.text);
  if (result?.subtype === 'error_max_budget_usd') return { ...stopFailures.budget, details: result.errors };
  // The API's message is the reason behind a kill or a time-out, and shows whether waiting would help.
  const said = end.stoppedBecause === null ? claudeApiFailure(result, end) : null;
  return said ?? own ?? (result === null ? otherEnd({ error: null, end, hasBegun }) : resultFailure(result));
}

function isSuccess(result: ClaudeResultEvent, end: AgentEnd): boolean {
  return end.exitCode === 0 && result.subtype === 'success' && !result.isError && result.turns > 0;
}

function claudeApiFailure(result: ClaudeResultEvent | null, { stderr, at }: AgentEnd): Failure | null {
  if (result === null) return classifyModelApiError({ status: null, text: stderr, at });
  return result.isError && result.subtype === 'success'
    ? classifyModelApiError({ status: result.status, text: result.text, at })
    : null;
}

function resultFailure(result: ClaudeResultEvent): Failure {
  if (result.subtype === 'error_max_structured_output_retries') {
    return {
      kind: 'malformed-answer',
      message: 'The agent gave no answer in the required form.',
      details: result.errors,
      retryable: true,
    };
  }
  const details = [...result.errors, ...takeLastOutputLines(result.text)];
  if (result.turns === 0) {
    return {
      kind: 'agent-error',
      message: 'The agent ended without asking its model.',
      details,
      retryable: false,
    };
  }
  return {
    kind: 'agent-error',
    message: `The agent ended with an error (${result.subtype}).`,
    details,
    retryable: true,
  };
}

/** A person left it with ctrl-c or /exit; the transcript shows whether there is a plan. */
function interactiveFailure({ exitCode, stderr }: AgentEnd): Failure | null {
  if (exitCode === 0 || exitCode === 130) return null;
  return {
    kind: 'agent-error',
    message: `The agent ended with exit code ${exitCode ?? 'unknown'}.`,
    details: takeLastOutputLines(stderr),
    retryable: false,
  };
}
