import type { IncomingMessage } from 'node:http';
import type { Failure } from '../../domain/failure.ts';

/** The model API refuses for now. */
export interface ServiceLimit {
  readonly status: number;
  /** When it says that ends, in milliseconds since 1970; null where it doesn't say. */
  readonly until: number | null;
}

/** What an answer of the model API says about a limit; null for one that is none. */
export function readLimit(
  { statusCode = 0, headers }: Pick<IncomingMessage, 'statusCode' | 'headers'>,
  now: number,
): ServiceLimit | null {
  if (![429, 503, 529].includes(statusCode)) return null;
  const ends = [headers['retry-after'], headers['anthropic-ratelimit-unified-reset']]
    .map((said) => readTime(`${said ?? ''}`, now))
    .filter((end) => end > now);
  return { status: statusCode, until: ends.length === 0 ? null : Math.max(...ends) };
}

/**
 * A failure as the answers of the model API explain it: an agent whose last question it refused failed by that,
 * also where it gave up in silence or waited until its time was over.
 */
export function explainByLimit(failure: Failure | null, limit: ServiceLimit | null): Failure | null {
  if (failure === null || limit === null) return failure;
  const until = limit.until === null ? {} : { until: new Date(limit.until).toISOString() };
  if (failure.kind === 'rate-limit') return { ...failure, ...until };
  if (!['agent-error', 'agent-crashed', 'agent-timeout'].includes(failure.kind)) return failure;
  const message =
    limit.status === 429
      ? 'The model API limits the rate of requests.'
      : 'The model API is overloaded or failing.';
  return {
    kind: 'rate-limit',
    message,
    details: [failure.message, ...failure.details],
    retryable: true,
    ...until,
  };
}

/** Seconds from now, seconds since 1970, or a date; NaN for anything else. */
function readTime(said: string, now: number): number {
  if (/^\d{10}$/.test(said)) return Number(said) * 1_000;
  return /^\d+(?:\.\d+)?$/.test(said) ? now + Number(said) * 1_000 : Date.parse(said);
}
