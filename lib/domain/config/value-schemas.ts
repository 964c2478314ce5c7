import * as z from 'zod';
import { errorMessage } from '../../util/error-text.ts';
import { lineSchema } from '../text-schemas.ts';

/** The kinds of values in `.blueflame.yml`. Every message ends a sentence that begins with the value's path. */

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Node's timers fire at once beyond 2^31-1 milliseconds. */
const maxTimerMs = 24 * 86_400_000;
const durationPattern = /^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/;

/** `90s`, `5m`, `1h30m`, `30d`, or a number of seconds; null if it's none of them. Answers milliseconds. */
export function parseDuration(value: string | number): number | null {
  const text = typeof value === 'number' ? `${value}s` : value;
  if (!durationPattern.test(text)) return null;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)];
  return Math.round(parts.reduce((sum, part) => sum + Number(part[1]) * (units[part[2] ?? 's'] ?? 0), 0));
}

/** The shortest text that parseDuration reads as this many milliseconds. */
export function renderDuration(milliseconds: number): string {
  let rest = milliseconds;
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const size = units[unit] ?? 1;
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text === '' ? '0s' : text;
}

/** A duration of more than nothing, parsed to milliseconds; as a timer at most 24 days. */
export function durationSchema(use: 'timer' | 'age') {
  return z
    .union([z.string().regex(durationPattern, 'is not a duration'), z.number()], {
      error: 'is not a duration',
    })
    .transform((value, context) => {
      const duration = parseDuration(value);
      const problem = durationProblem(duration, use);
      if (duration !== null && problem === null) return duration;
      context.addIssue({ code: 'custom', message: problem ?? 'is not a duration' });
      return z.NEVER;
    })
    .meta({ title: 'duration' });
}

function durationProblem(duration: number | null, use: 'timer' | 'age'): string | null {
  if (duration === null) return 'is not a duration';
  if (duration <= 0) return 'must be longer than nothing';
  return use === 'timer' && duration > maxTimerMs ? 'must be at most 24d' : null;
}

/** One line of a shell. */
export const commandSchema = lineSchema(2_000);

/** A path glob that stays inside the repository. */
export const globSchema = z.string().superRefine((text, context) => {
  const problem = describeGlobProblem(text);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

/** Compiles a rule of the configuration: the one place that says which flags its patterns have. */
export function compileConfiguredPattern(pattern: string): RegExp {
  return new RegExp(pattern, 'u');
}

/** A regular expression as compileConfiguredPattern reads it. */
export const regexSchema = z
  .string()
  .max(2_000)
  .superRefine((text, context) => {
    try {
      compileConfiguredPattern(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: `is not a valid regular expression: ${reasonOf(error)}` });
    }
  });

function reasonOf(error: unknown): string {
  const message = errorMessage(error);
  // `Invalid regular expression: /…/u: Unterminated group`: the pattern itself is shown below anyway.
  return (/: ([^:]+)$/.exec(message)?.[1] ?? message).replace(/^./, (first) => first.toLowerCase());
}

export const nonEmptyTextSchema = z.string().min(1);

/** How many plain patterns the braces of one glob may stand for: `{1..100000}` would stop every check. */
const maxAlternatives = 1_000;
const maxLength = 500;

/** Describes the problem of a path glob of the configuration, as the end of a sentence; null: none. */
export function describeGlobProblem(text: string): string | null {
  if (text === '') return 'is empty';
  if (text.length > maxLength) return `is longer than ${maxLength} characters`;
  if (/\p{Cc}/u.test(text)) return 'has control characters';
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(text) || /(?:^|\/)\.\.(?:\/|$)/.test(text)) {
    return 'must be relative to the repository and stay inside it';
  }
  if (text.startsWith('!')) return 'begins with !, but a path rule cannot be negated';
  if (/\\(?:[\p{L}\p{N}]|$)/u.test(text)) return 'has a backslash; separate folders with /';
  return bracketProblem(text);
}

function bracketProblem(text: string): string | null {
  const scan: Scan = { text, at: 0, problem: null };
  const count = countSequence(scan, false);
  if (scan.problem !== null) return `is not a valid glob: ${scan.problem}`;
  return count > maxAlternatives ? `expands to more than ${maxAlternatives} patterns` : null;
}

interface Scan {
  readonly text: string;
  at: number;
  problem: string | null;
}

/** Reads up to the `,` or `}` that ends one brace alternative; answers how many patterns it stands for. */
function countSequence(scan: Scan, isInBrace: boolean): number {
  let count = 1;
  while (scan.at < scan.text.length) {
    const char = scan.text[scan.at];
    if (isInBrace && (char === ',' || char === '}')) return count;
    scan.at += 1;
    if (char === '\\') scan.at += 1;
    else if (char === '[') skipClass(scan);
    else if (char === '{') count *= countBrace(scan);
    else if (char === '}') scan.problem ??= 'a } has no {';
    if (count > maxAlternatives) return count;
  }
  return count;
}

function countBrace(scan: Scan): number {
  const range = /^(-?\d+)\.\.(-?\d+)(?:\.\.-?\d+)?\}/.exec(scan.text.slice(scan.at));
  if (range !== null) {
    scan.at += range[0].length;
    return Math.abs(Number(range[2]) - Number(range[1])) + 1;
  }
  let count = 0;
  while (count <= maxAlternatives) {
    count += countSequence(scan, true);
    const end = scan.text[scan.at];
    scan.at += 1;
    if (end === '}') return count;
    if (end === undefined) {
      scan.problem ??= 'a { is never closed';
      return count;
    }
  }
  return count;
}

function skipClass(scan: Scan): void {
  // A ] right after the opening (or its negation) is literal.
  const inside = /^(?:[!^]|(?![!^]))(?:\]|\\.|[^\]\\])(?:\\.|\[:\w+:\]|[^\]\\])*\]/.exec(scan.text.slice(scan.at));
  if (inside === null) scan.problem ??= 'a [ is never closed';
  scan.at += inside?.[0].length ?? 0;
}
