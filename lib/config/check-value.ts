import type * as z from 'zod';
import { describeIssue, type Issue, wordIssue } from './describe-issue.ts';
import type { Problem, ValuePath } from './problem.ts';
import { readYamlValue, type YamlSource } from './yaml-source.ts';

interface CheckedValue<T> {
  /** null where there are problems. */
  readonly value: T | null;
  /** As the text says it, before the schema's defaults. */
  readonly raw: unknown;
  readonly problems: readonly Problem[];
}

/**
 * Checks a text against a schema and finds all its mistakes, those of YAML too. A key with nothing behind it
 * counts as not written. `emptyValue` is the value of an empty text.
 */
export function checkValue<T>(
  schema: z.ZodType<T>,
  source: YamlSource,
  emptyValue: unknown = null,
): CheckedValue<T> {
  const { value, problems } = readYamlValue(source);
  const syntax = [...source.problems, ...problems];
  if (problems.length > 0) return { value: null, raw: null, problems: syntax };
  const { result, raw } = parseWithoutBlanks(schema, value ?? emptyValue);
  const found = result.success ? [] : result.error.issues.flatMap((issue) => describe(schema, source, issue));
  const all = [...syntax, ...keepSound(source, found)];
  return { value: result.success && all.length === 0 ? result.data : null, raw, problems: all };
}

/** Leaves out what stands where the text is broken, and what may be missing only because of that. */
export function keepSound<P extends Problem>(source: YamlSource, problems: readonly P[]): readonly P[] {
  if (source.soundUntil > source.text.length) return problems;
  return problems.filter((problem) => problem.start < source.soundUntil && problem.message !== 'is missing');
}

function describe(schema: z.ZodType, source: YamlSource, issue: z.core.$ZodIssue): readonly Problem[] {
  // The issue's input is reported on request only, which its type doesn't know.
  return describeIssue(schema, source, issue as Issue);
}

function parseWithoutBlanks<T>(schema: z.ZodType<T>, value: unknown) {
  const options = { error: wordIssue, reportInput: true };
  const result = schema.safeParse(value, options);
  const blanks = result.success ? [] : result.error.issues.filter((issue) => isBlank(value, issue.path));
  if (blanks.length === 0) return { result, raw: value };
  const raw = structuredClone(value);
  for (const { path } of blanks) removeAt(raw, path);
  return { result: schema.safeParse(raw, options), raw };
}

function isBlank(value: unknown, path: ValuePath): boolean {
  return typeof path.at(-1) === 'string' && valueAt(value, path) === null;
}

function removeAt(value: unknown, path: ValuePath): void {
  const parent = valueAt(value, path.slice(0, -1));
  const key = path.at(-1);
  if (typeof parent === 'object' && parent !== null && key !== undefined) Reflect.deleteProperty(parent, key);
}

/** The value at a path; undefined where there is none. */
export function valueAt(value: unknown, path: ValuePath): unknown {
  let current: unknown = value;
  for (const segment of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, segment)) return undefined;
    current = Reflect.get(current, segment);
  }
  return current;
}
