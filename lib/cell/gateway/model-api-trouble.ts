import type { IncomingMessage } from 'node:http';
import type { Failure } from '../../domain/failure.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import type { Spending } from '../../domain/state/spending.ts';
import { formatTokens, formatUsd } from '../../util/format-figures.ts';
import { isJsonRecord, type JsonRecord, parseJson } from '../../util/json.ts';

/** Why the last request to the model API got no answer to work with, where that is not the agent's doing. */
export type ServiceTrouble =
  | {
      readonly kind: 'unreachable';
      /** `ENOTFOUND api.anthropic.com`. */
      readonly why: string;
    }
  | {
      /** The request itself was wrong to it: too long, against its rules, for a model it doesn't know. */
      readonly kind: 'refused';
      /** '' where it said nothing. */
      readonly message: string;
    }
  | {
      readonly kind: 'rejected';
      /** The variables its credential was read from. */
      readonly sources: readonly string[];
      /** Those it could have been read from. */
      readonly variables: readonly string[];
    }
  | {
      /** It was never sent: with the shortest answer it could be worth it comes to more than is left. */
      readonly kind: 'unpaid';
      readonly needs: Spending;
      readonly spent: Spending;
    };

/** Reads a connection's error, and the address of the connection. */
export function connectionErrorAsTrouble(error: Error, address: string): ServiceTrouble {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
  return { kind: 'unreachable', why: `${code} ${address}` };
}

/** A failure as the trouble of the model API explains it. */
export function explainFailureByTrouble(
  failure: Failure | null,
  trouble: ServiceTrouble | null,
  budget: AgentRequest['budget'],
): Failure | null {
  if (failure === null || trouble === null) return failure;
  if (trouble.kind === 'unpaid') return failure.kind === 'budget' ? unpaid(failure, trouble, budget) : failure;
  if (!['rate-limit', 'auth', 'agent-error', 'agent-crashed', 'agent-timeout'].includes(failure.kind)) return failure;
  if (trouble.kind === 'refused') {
    const isIncluded = trouble.message === '' || failure.details.some((line) => line.includes(trouble.message));
    return isIncluded ? failure : { ...failure, details: [...failure.details, trouble.message] };
  }
  const details = [failure.message, ...failure.details];
  if (trouble.kind === 'unreachable') {
    const message = `The model API can't be reached (${trouble.why}).`;
    // The client's report of the gateway's answer repeats it, or is wrong.
    const further = failure.kind === 'rate-limit' ? [] : details;
    return { kind: 'unreachable', message, details: further, retryable: true };
  }
  const names = trouble.sources.join(' and ');
  const message =
    names === ''
      ? `The model API needs a credential, and none is set: ${trouble.variables.join(' or ')}.`
      : `The model API did not accept the credential in ${names}. Set a valid one, then: git flame run`;
  return { kind: 'auth', message, details, retryable: false };
}

/** A budget that no request fits into was not spent. */
function unpaid(
  failure: Failure,
  { needs, spent }: Extract<ServiceTrouble, { readonly kind: 'unpaid' }>,
  { unit, limit, key }: AgentRequest['budget'],
): Failure {
  const show = (of: Spending): string => (unit === 'usd' ? formatUsd(of.cost_usd) : formatTokens(of.tokens));
  const budget = show({ tokens: limit, cost_usd: limit });
  const raise = key === undefined ? '' : ` Raise ${key} in .blueflame.yml.`;
  if (spent.tokens === 0)
    return {
      ...failure,
      message: `The agent's budget (${budget}) is smaller than its first request, which may cost up to ${show(needs)}. No request was sent.${raise}`,
    };
  const details = `${show(spent)} of ${budget} is spent, and the next request may cost up to ${show(needs)}. It was not sent.${raise}`;
  return { ...failure, details: [details, ...failure.details] };
}

/** The model API refuses for now. */
export interface ServiceLimit {
  readonly status: number;
  /** When it says that ends, in milliseconds since 1970; null where it doesn't say. */
  readonly until: number | null;
  /** It is the account's credit or quota that is used up: waiting doesn't help. */
  readonly isQuota: boolean;
}

const limiting = [429, 500, 502, 503, 504, 529];

/** Reads the limit in the head of a model API's answer; null for one that is none. */
export function parseServiceLimit(
  { statusCode = 0, headers }: Pick<IncomingMessage, 'statusCode' | 'headers'>,
  now: number,
): ServiceLimit | null {
  if (!limiting.includes(statusCode)) return null;
  const ms = Number(headers['retry-after-ms']);
  // OpenAI says of each of its limits what is left and when it is whole again: the one that is used up counts.
  const used = ['requests', 'tokens'].filter((kind) => headers[`x-ratelimit-remaining-${kind}`] === '0');
  const ends = [
    ...[headers['retry-after'], headers['anthropic-ratelimit-unified-reset']].map((said) =>
      readTime(`${said ?? ''}`, now),
    ),
    ...(headers['retry-after-ms'] !== undefined ? [now + ms] : []),
    ...used.map((kind) => now + readDuration(`${headers[`x-ratelimit-reset-${kind}`] ?? ''}`)),
  ].filter((end) => end > now);
  return { status: statusCode, until: ends.length === 0 ? null : Math.max(...ends), isQuota: false };
}

/** Adds to a limit from the body of such an answer: how long to wait, and whether that would help. */
export function extendServiceLimitByBody(limit: ServiceLimit, body: string, now: number): ServiceLimit {
  const { code, type, details, message } = readError(body);
  const said = `${String(code)} ${String(type)}`;
  if (
    /insufficient_quota|exceeded_current_quota|billing_(?:hard_)?limit|credit_balance/.test(said) ||
    // Google names a limit of a minute so, too, but says then when to come back.
    (/exceeded your current quota/i.test(String(message)) && retryDelay(details) === null && limit.until === null)
  )
    return { ...limit, isQuota: true };
  const delay = retryDelay(details) ?? tryAgain(String(message ?? ''));
  if (delay === null || delay <= 0) return limit;
  return { ...limit, until: Math.max(limit.until ?? 0, now + delay) };
}

/** Reads the error message of a model API's answer, in one readable line; '' where there is none. */
export function readErrorMessage(body: string): string {
  return String(readError(body).message ?? '').slice(0, 300);
}

/** Reads an error in the forms of OpenAI, Moonshot, Google and Anthropic; Google's is in a list, too. */
function readError(body: string): JsonRecord {
  const value = parseJson(body);
  const [first]: readonly unknown[] = Array.isArray(value) ? value : [value];
  return isJsonRecord(first) && isJsonRecord(first.error) ? first.error : {};
}

/** Google's: `{"@type": "…RetryInfo", "retryDelay": "34.5s"}` among the details. */
function retryDelay(details: unknown): number | null {
  const all: readonly unknown[] = Array.isArray(details) ? details : [];
  const said = all.map((one) => (isJsonRecord(one) ? one.retryDelay : null)).find((one) => typeof one === 'string');
  return typeof said === 'string' ? readDuration(said) : null;
}

/** OpenAI's: `Please try again in 1m3.5s`; Moonshot's: `please try again after 1 seconds`. */
function tryAgain(message: string): number | null {
  const said = /try again (?:in|after) ((?:\d+(?:\.\d+)? ?(?:ms|[hms]))+)/i.exec(message)?.[1];
  return said === undefined ? null : readDuration(said);
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** `6m0s`, `34.5s`, `20ms` in milliseconds; NaN for anything else. */
function readDuration(said: string): number {
  const parts = [...said.matchAll(/(\d+(?:\.\d+)?) ?(ms|[hms])/g)];
  if (parts.length === 0) return Number.NaN;
  return parts.reduce((sum, [, count = '0', unit = 's']) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
}

/**
 * A failure as the answers of the model API explain it: an agent whose last question it refused failed by that,
 * also where it gave up in silence or waited until its time was over.
 */
export function explainFailureByLimit(failure: Failure | null, limit: ServiceLimit | null): Failure | null {
  if (failure === null || limit === null) return failure;
  // A quota that is whole again at a time the service names is a limit, even if a client reads its message otherwise.
  const isMisread = failure.kind === 'auth' && limit.status === 429 && limit.until !== null;
  const isOwn = isMisread || ['rate-limit', 'agent-error', 'agent-crashed', 'agent-timeout'].includes(failure.kind);
  if (limit.isQuota && isOwn) {
    const message = "The account's quota or credit is used up.";
    return { kind: 'auth', message, details: [failure.message, ...failure.details], retryable: false };
  }
  const until = limit.until === null ? {} : { until: new Date(limit.until).toISOString() };
  if (failure.kind === 'rate-limit') return { ...failure, ...until };
  if (!isOwn) return failure;
  const message =
    limit.status === 429 ? 'The model API limits the rate of requests.' : 'The model API is overloaded or failing.';
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
