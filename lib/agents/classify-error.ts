import type { Failure } from '../domain/failure.ts';
import { lastLines } from './end-failure.ts';
import { limitEnd } from './limit-end.ts';

/** The content of an error channel: an API status where one is known, and text that no agent wrote. */
interface ErrorSigns {
  readonly status: number | null;
  readonly text: string;
  /** When it was said, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Distinguishes the failures of a model API: which pass with waiting, and which need a person. null: nothing
 * in it names the API. Quota comes before rate: some providers send both as 429.
 */
export function classifyError(signs: ErrorSigns): Failure | null {
  const failure = classify(signs);
  if (failure?.kind !== 'rate-limit') return failure;
  const end = limitEnd(signs.text, signs.at);
  return end === null ? failure : { ...failure, until: new Date(end).toISOString() };
}

function classify({ status, text }: ErrorSigns): Failure | null {
  const rule = rules.find(
    ({ statuses, pattern }) => (status !== null && statuses.includes(status)) || pattern.test(text),
  );
  const details = lastLines(text);
  if (rule !== undefined) {
    return { kind: rule.kind, message: rule.message, details, retryable: rule.retryable };
  }
  if (status === null) return null;
  const isServerSide = status >= 500;
  return {
    kind: isServerSide ? 'rate-limit' : 'agent-error',
    message: `The model API answered with ${status}.`,
    details,
    retryable: isServerSide,
  };
}

interface Rule {
  readonly statuses: readonly number[];
  readonly pattern: RegExp;
  readonly kind: Failure['kind'];
  readonly message: string;
  readonly retryable: boolean;
}

const rules: readonly Rule[] = [
  {
    statuses: [413],
    pattern:
      /context window|maximum context length|prompt is too long|input token count .* exceeds|exceeded model token limit|ContextOverflow/i,
    kind: 'agent-error',
    message: "The task does not fit into the model's context.",
    retryable: false,
  },
  {
    statuses: [],
    pattern:
      /usage polic(?:y|ies)|content[_ ](?:filter|policy)|considered high risk|safety (?:filter|setting|polic)|PROHIBITED_CONTENT|blocked by (?:the )?safety/i,
    kind: 'agent-error',
    message: 'The model API refused the task by its own rules.',
    retryable: false,
  },
  {
    statuses: [402],
    // Google says `(e.g. check quota)` of every limit, those of a minute too.
    pattern: /credit balance|billing|(?<!\(e\.g\. check )\bquota\b/i,
    kind: 'auth',
    message: "The account's quota or credit is used up.",
    retryable: false,
  },
  {
    statuses: [401, 403],
    pattern:
      /invalid (?:x-)?api[ -]key|authentication_error|API key not valid|invalid authentication|failed to authenticate|\bunauthorized\b|please run \/login|\/login to sign in|not logged in|please set an auth method|no authentication information found|missing environment variable: `\w+`/i,
    kind: 'auth',
    message: 'The model API did not accept the credentials.',
    retryable: false,
  },
  {
    statuses: [404],
    pattern: /issue with the selected model|model.*(?:not found|does not exist)/i,
    kind: 'agent-error',
    message: 'The model API does not know the model.',
    retryable: false,
  },
  {
    statuses: [429],
    pattern:
      /\brate.?limit|request rejected \(429\)|too many requests|\b(?:usage|session|weekly|hour|opus|sonnet) limit reached|hit your (?:\w+ )?limit/i,
    kind: 'rate-limit',
    message: 'The model API limits the rate of requests.',
    retryable: true,
  },
  {
    statuses: [500, 502, 503, 504, 529],
    pattern: /overloaded|high demand|at capacity|API Error: 5\d\d\b|stream disconnected/i,
    kind: 'rate-limit',
    message: 'The model API is overloaded or failing.',
    retryable: true,
  },
  {
    statuses: [],
    pattern: /ECONNRESET|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|connection error|unable to connect|socket hang up/i,
    kind: 'rate-limit',
    message: 'The model API could not be reached.',
    retryable: true,
  },
];
