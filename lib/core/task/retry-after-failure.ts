import type { Failure, FailureKind } from '../../domain/failure.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { nextAttemptNumber } from './task-history.ts';

const baseMs = 2_000;
const capMs = 300_000;
// A service that stays at its limit must not keep a session alive for ever.
const maxUncountedAttempts = 50;
const uncounted: readonly FailureKind[] = ['rate-limit', 'unreachable', 'session-budget', 'agent-stopped'];

/** Whether a failure uses up one of a task's attempts: it wasn't for a rate limit, the session's budget, or a person who ended it. */
export function doesFailureUseUpAttempt({ kind }: Pick<Failure, 'kind'>): boolean {
  return !uncounted.includes(kind);
}

/** Whether a task that is claimed was put off so often, by no doing of its agents, that it is not once more. */
export function hasUsedUpPostponements({ history }: Pick<Task, 'history'>): boolean {
  return nextAttemptNumber(history) >= maxUncountedAttempts;
}

type AfterFailure =
  | {
      readonly kind: 'retry';
      /** ISO 8601. */
      readonly notBefore: string;
      /** false where it wasn't the agent's doing: a rate limit, the session's budget, a person who ended it. */
      readonly isCounted: boolean;
    }
  | { readonly kind: 'exhausted' };

/**
 * Whether a failed task tries again, and when: exponential backoff from 2 s, at most 5 min, of which
 * `jitter` (0 to 1) takes up to half away. `now` is in milliseconds since 1970.
 */
export function decideRetryAfterFailure(
  task: Pick<Task, 'retry_count' | 'history'>,
  failure: Failure,
  { maxRetries, now, jitter }: { readonly maxRetries: number; readonly now: number; readonly jitter: number },
): AfterFailure {
  const counts = doesFailureUseUpAttempt(failure);
  const attempts = nextAttemptNumber(task.history) - 1;
  const isSpent = counts ? task.retry_count >= maxRetries : attempts >= maxUncountedAttempts;
  if (!failure.retryable || isSpent) return { kind: 'exhausted' };
  const delay = computeBackoffMs(counts ? task.retry_count : attempts, jitter);
  // A service that says when it can be asked again is asked then.
  const end = failure.until === undefined ? Number.NaN : Date.parse(failure.until);
  const notBefore = Number.isFinite(end) ? Math.max(end, now) : now + delay;
  return { kind: 'retry', notBefore: new Date(notBefore).toISOString(), isCounted: counts };
}

/** Milliseconds to wait before retry number `retries` (from 0); jitter 0 waits longest. */
export function computeBackoffMs(retries: number, jitter: number): number {
  const full = Math.min(capMs, baseMs * 2 ** Math.max(0, retries));
  return Math.round(full * (1 - Math.min(1, Math.max(0, jitter)) / 2));
}
