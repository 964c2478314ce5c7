/**
 * Failures of a task that are not the program's fault. `budget` is in the note of a task whose agent ran out of its
 * budget, `session-budget` where it was the session's; `limit` is memory, CPU time, processes or file size;
 * `unreachable` the model API's address.
 */
export const failureKinds = [
  'agent-crashed',
  'agent-error',
  'agent-timeout',
  'agent-stopped',
  'limit',
  'budget',
  'session-budget',
  'rate-limit',
  'unreachable',
  'auth',
  'no-commits',
  'violation',
  'conflict',
  'setup-failed',
  'spawn-failed',
  'malformed-answer',
  'canary-failed',
  'unwatched-call',
  'forged-result',
] as const;
export type FailureKind = (typeof failureKinds)[number];

/** An expected failure, as data. */
export interface Failure {
  readonly kind: FailureKind;
  /** One sentence for a person. */
  readonly message: string;
  /** What and where: violations, output lines. */
  readonly details: readonly string[];
  /** Whether another attempt may succeed without any change. */
  readonly retryable: boolean;
  /** When a rate limit says it ends, ISO 8601; absent where it doesn't say. */
  readonly until?: string;
  /** The rules that were broken, by their names, where that is what failed. */
  readonly rules?: readonly string[];
}

/** The details its message doesn't open with already. */
export function listFurtherDetails({ message, details }: Failure): readonly string[] {
  return details.filter((detail) => !message.startsWith(detail));
}
