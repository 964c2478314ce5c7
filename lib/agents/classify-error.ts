import type { Failure } from '../domain/failure.ts';
import { takeLastOutputLines } from './end-failure.ts';

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
export function classifyModelApiError(signs: ErrorSigns): Failure | null {
  const failure = classify(signs);
  if (failure?.kind !== 'rate-limit') return failure;
  const end = parseRateLimitEnd(signs.text, signs.at);
  return end === null ? failure : { ...failure, until: new Date(end).toISOString() };
}

function classify({ status, text }: ErrorSigns): Failure | null {
  const rule = rules.find(
    ({ statuses, pattern }) => (status !== null && statuses.includes(status)) || pattern.test(text),
  );
  const details = takeLastOutputLines(text);
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
    message: "The task does not fit into the model's context window.",
    retryable: false,
  },
  {
    statuses: [],
    pattern:
      /usage polic(?:y|ies)|content[_ ](?:filter|policy)|considered high risk|safety (?:filter|setting|polic)|PROHIBITED_CONTENT|blocked by (?:the )?safety/i,
    kind: 'agent-error',
    message: 'The model API refused the task under its usage policy.',
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

/** Longer than any limit of a model API lasts (weekly ones): what lies beyond was misread. */
const longestMs = 8 * 86_400_000;

/**
 * When a rate limit says it ends, out of what a client or an API printed, in milliseconds since 1970; null where
 * it doesn't say. A clock time without a day is the next such time; without a zone it is this machine's.
 */
export function parseRateLimitEnd(text: string, now: number): number | null {
  for (const read of [fromStamp, fromDate, fromDuration, fromClock]) {
    const end = read(text, now);
    if (end !== null && end > now && end - now <= longestMs) return end;
  }
  return null;
}

/** `Claude AI usage limit reached|1759861234`, in seconds. */
function fromStamp(text: string): number | null {
  const seconds = text.match(/limit reached\|(\d{10})\b/)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1_000;
}

/** `resets at 2026-11-21T05:00:00Z`. */
function fromDate(text: string): number | null {
  const date = text.match(
    /(?:resets?|try again|retry)\D{0,20}(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))/i,
  )?.[1];
  return date === undefined ? null : Date.parse(date);
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, s: 1_000, ms: 1 };

/** `Please try again in 6m12.5s`, `retry after 30 seconds`, `retry-after: 30`, `resets in 2 hours`. */
function fromDuration(text: string, now: number): number | null {
  const amount = text.match(
    /(?:try again in|retry(?:ing)?(?:[ -]after| in)|resets? in)[: ]+((?:\d+(?:\.\d+)? ?(?:ms|milliseconds?|d(?:ays?)?|h(?:ours?|r)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)?[ ,]*)+)/i,
  )?.[1];
  if (amount === undefined) return null;
  const parts = [...amount.matchAll(/(\d+(?:\.\d+)?) ?(ms|mil|[dhms])?/gi)];
  const ms = parts.reduce((sum, [, count = '0', unit = 's']) => sum + Number(count) * unitOf(unit), 0);
  return now + Math.round(ms);
}

function unitOf(word: string): number {
  const unit = word.toLowerCase();
  return unitMs[unit === 'mil' ? 'ms' : unit] ?? 1_000;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `resets 3pm (America/New_York)`, `resets Oct 9, 3:45pm`, `resets at 15:45`. */
function fromClock(text: string, now: number): number | null {
  const found = text.match(
    /resets?(?: at| on)? (?:([a-z]{3})[a-z]* (\d{1,2})(?:,| at)* )?(\d{1,2})(?::(\d\d))? ?(am|pm)?(?: \(([A-Za-z_+\-/0-9]+)\))?/i,
  );
  if (found === null) return null;
  const [, month, day, hour = '', minute = '0', half, zone] = found;
  if (half === undefined && found[4] === undefined) return null;
  const hours = (Number(hour) % (half === undefined ? 24 : 12)) + (half?.toLowerCase() === 'pm' ? 12 : 0);
  const today = wallClock(now, zone);
  const monthIndex = month === undefined ? -1 : months.indexOf(month.toLowerCase());
  const isDated = monthIndex >= 0 && day !== undefined;
  const end = (shift: { days: number; years: number }): number => {
    const year = today.year + shift.years;
    const date: readonly [number, number] = isDated ? [monthIndex, Number(day)] : [today.month, today.day + shift.days];
    return atWallClock(Date.UTC(year, date[0], date[1], hours, Number(minute)), zone);
  };
  const first = end({ days: 0, years: 0 });
  return first > now ? first : end(isDated ? { days: 0, years: 1 } : { days: 1, years: 0 });
}

function wallClock(now: number, zone: string | undefined): { year: number; month: number; day: number } {
  const shown = new Date(now + offsetOf(now, zone));
  return { year: shown.getUTCFullYear(), month: shown.getUTCMonth(), day: shown.getUTCDate() };
}

/** The moment at which clocks in a zone show what `shown` shows in UTC. */
function atWallClock(shown: number, zone: string | undefined): number {
  const guess = shown - offsetOf(shown, zone);
  return shown - offsetOf(guess, zone);
}

/** How far the clocks of a zone are ahead of UTC, in milliseconds; an unknown zone is this machine's. */
function offsetOf(at: number, zone: string | undefined): number {
  try {
    // Sweden's form is that of ISO 8601, but for the blank.
    const shown = new Date(at).toLocaleString('sv-SE', { timeZone: zone });
    return Date.parse(`${shown.replace(' ', 'T')}Z`) - Math.floor(at / 1_000) * 1_000;
  } catch {
    return offsetOf(at, undefined);
  }
}
