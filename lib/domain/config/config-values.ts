import * as z from 'zod';
import { lineSchema } from '../text.ts';
import { globProblem } from './glob-problem.ts';

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
  const problem = globProblem(text);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

/** Compiles a rule of the configuration: the one place that says which flags its patterns have. */
export function compileRule(pattern: string): RegExp {
  return new RegExp(pattern, 'u');
}

/** A regular expression as compileRule reads it. */
export const regexSchema = z
  .string()
  .max(2_000)
  .superRefine((text, context) => {
    try {
      compileRule(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: `is not a valid regular expression: ${reasonOf(error)}` });
    }
  });

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // `Invalid regular expression: /…/u: Unterminated group`: the pattern itself is shown below anyway.
  return (/: ([^:]+)$/.exec(message)?.[1] ?? message).replace(/^./, (first) => first.toLowerCase());
}

export const text = z.string().min(1);
