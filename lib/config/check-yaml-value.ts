import type * as z from 'zod';
import { nearestName } from '../util/nearest-name.ts';
import { findSchemaAtPath, listKeyPaths, listKeysAtPath } from './json-schema.ts';
import { locateInYaml } from './locate-value.ts';
import { type FileProblem, readYamlValue, type ValuePath, type YamlSource } from './yaml-source.ts';

interface CheckedValue<T> {
  /** null where there are problems. */
  readonly value: T | null;
  /** As the text says it, before the schema's defaults. */
  readonly raw: unknown;
  readonly problems: readonly FileProblem[];
}

/**
 * Checks a text against a schema and finds all its mistakes, those of YAML too. A key with nothing behind it
 * counts as not written, and an empty text as a map without keys.
 */
export function checkYamlAgainstSchema<T>(schema: z.ZodType<T>, source: YamlSource): CheckedValue<T> {
  const { value, problems } = readYamlValue(source);
  const syntax = [...source.problems, ...problems];
  if (problems.length > 0) return { value: null, raw: null, problems: syntax };
  const { result, raw } = parseWithoutBlanks(schema, value ?? {});
  const found = result.success ? [] : result.error.issues.flatMap((issue) => describe(schema, source, issue));
  const all = [...syntax, ...dropConsequentialProblems(source, found)];
  return { value: result.success && all.length === 0 ? result.data : null, raw, problems: all };
}

/** Leaves out what stands where the text is broken, and what may be missing only because of that. */
export function dropConsequentialProblems<P extends FileProblem>(
  source: YamlSource,
  problems: readonly P[],
): readonly P[] {
  if (source.soundUntil > source.text.length) return problems;
  return problems.filter((problem) => problem.start < source.soundUntil && problem.message !== 'is missing');
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
  return typeof path.at(-1) === 'string' && findValueAtPath(value, path) === null;
}

function removeAt(value: unknown, path: ValuePath): void {
  const parent = findValueAtPath(value, path.slice(0, -1));
  const key = path.at(-1);
  if (typeof parent === 'object' && parent !== null && key !== undefined) Reflect.deleteProperty(parent, key);
}

/** The value at a path; undefined where there is none. */
export function findValueAtPath(value: unknown, path: ValuePath): unknown {
  let current: unknown = value;
  for (const segment of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, segment)) return undefined;
    current = Reflect.get(current, segment);
  }
  return current;
}

/** An issue of zod about a value, the value included. */
type Issue = z.core.$ZodIssue & { readonly input?: unknown };

/** Words a zod issue as the end of a sentence that begins with the value's path. */
function wordIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing';
      return `must be ${typeWord(String(issue.expected))}, not ${valueWord(issue.input)}`;
    case 'too_small':
      if (issue.origin === 'number' || issue.origin === 'int') return wordBound('least', issue);
      return Number(issue.minimum) === 1 ? 'is empty' : `must have at least ${issue.minimum} ${unitWord(issue.origin)}`;
    case 'too_big':
      if (issue.origin === 'number' || issue.origin === 'int') return wordBound('most', issue);
      return `must have at most ${issue.maximum} ${unitWord(issue.origin)}`;
    case 'invalid_value':
      return wordChoice(Array.isArray(issue.values) ? issue.values : []);
    case 'unrecognized_keys':
      return 'is not a known key';
    case 'invalid_format':
      return `must have the form ${String(issue.pattern ?? issue.format)}`;
    default:
      return 'is not valid here';
  }
}

/** The mistakes an issue consists of, each with its place and, where there is one, a hint. */
function describe(schema: z.ZodType, source: YamlSource, plain: z.core.$ZodIssue): readonly FileProblem[] {
  // The input is reported on request only, which the type doesn't know.
  const issue = plain as Issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: renderPath([...issue.path, key]),
      message: issue.message,
      hint: hintForKey(schema, issue.path, key),
      ...locateInYaml(source, [...issue.path, key], 'key'),
    }));
  }
  const isKey = issue.code === 'invalid_key';
  const reason: Issue = isKey ? (issue.issues[0] ?? issue) : issue;
  const problem = {
    path: renderPath(issue.path),
    message: reason.message,
    hint: quoteHint(source, issue.path, reason) ?? hintFor(schema, issue.path, reason),
  };
  return [{ ...problem, ...locateInYaml(source, issue.path, isKey ? 'key' : 'value') }];
}

/** `permissions.allowed_paths[2]`; the whole file has no path and is called so. */
export function renderPath(path: ValuePath): string {
  if (path.length === 0) return 'the file';
  return path
    .map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${quoteKey(String(segment))}`))
    .join('')
    .replace(/^\./, '');
}

function quoteKey(key: string): string {
  return key === '' || /[\s.]/.test(key) ? JSON.stringify(key) : key;
}

function wordBound(side: 'least' | 'most', issue: z.core.$ZodRawIssue): string {
  const bound = side === 'least' ? issue.minimum : issue.maximum;
  if (issue.inclusive !== false) return `must be at ${side} ${bound}`;
  return `must be ${side === 'least' ? 'more' : 'less'} than ${bound}`;
}

function wordChoice(values: readonly unknown[]): string {
  return values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.join(', ')}`;
}

function typeWord(expected: string): string {
  const words: Readonly<Record<string, string>> = {
    string: 'text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'a map of keys',
    record: 'a map of keys',
  };
  return words[expected] ?? expected;
}

function valueWord(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'object') return 'a map of keys';
  return String(value);
}

function unitWord(origin: unknown): string {
  return origin === 'string' ? 'characters' : 'entries';
}

function hintFor(schema: z.ZodType, path: ValuePath, issue: Issue): string | null {
  if (issue.code === 'custom' || issue.code === 'invalid_union') {
    const known = issue.code === 'custom' ? issue.params?.known : undefined;
    if (Array.isArray(known)) return suggest(String(issue.input), known.map(String));
    if (issue.message.startsWith('is not a valid regular expression'))
      return 'write a backslash before a literal character: \\( \\[ \\. \\+';
    if (issue.message.startsWith('is not a valid glob')) return 'write it like src/** or **/*.test.ts';
  }
  if (issue.code === 'invalid_value') {
    return issue.values.length > 1 ? suggest(String(issue.input), issue.values.map(String)) : null;
  }
  if (issue.code === 'invalid_type') return hintForType(issue.expected, issue.input);
  const place = findSchemaAtPath(schema, path);
  if (place?.title === 'duration') return 'write it like 90s, 5m, 1h30m or 30d';
  const { minimum, maximum } = place ?? {};
  return minimum !== undefined && maximum !== undefined ? `from ${minimum} to ${maximum}` : null;
}

/** A number or truth value where text belongs, in quotes as it is written: 001 is not 1. */
function quoteHint(source: YamlSource, path: ValuePath, issue: Issue): string | null {
  if (issue.code !== 'invalid_type' || issue.expected !== 'string') return null;
  if (typeof issue.input !== 'number' && typeof issue.input !== 'boolean') return null;
  const { start, end } = locateInYaml(source, path, 'value');
  return `write it in quotes: ${JSON.stringify(source.text.slice(start, end))}`;
}

function hintForType(expected: string, input: unknown): string | null {
  if (expected === 'array' && typeof input === 'string') return `write it as a list: [${JSON.stringify(input)}]`;
  if (typeof input !== 'string') return null;
  if (expected === 'boolean') {
    if (/^(?:yes|on|true|y)$/i.test(input)) return 'write true';
    return /^(?:no|off|false|n)$/i.test(input) ? 'write false' : null;
  }
  const digits = input.replace(/[_,]/g, '');
  const isNumber = (expected === 'number' || expected === 'int') && /^-?\d+(?:\.\d+)?$/.test(digits);
  return isNumber ? `write ${digits}` : null;
}

function suggest(word: string, known: readonly string[]): string | null {
  const near = nearestName(word, known);
  return near === null ? null : `did you mean ${near}?`;
}

/** The keys the first design had and this one hasn't. */
const goneKeys: ReadonlyMap<string, string> = new Map([
  ['project.repo', 'remove it: git flame works in the repository it is started in'],
  ['project.tasks_file', 'remove it: tasks are notes on refs/blueflame/tasks'],
]);

function hintForKey(schema: z.ZodType, parent: ValuePath, key: string): string | null {
  const gone = goneKeys.get(renderPath([...parent, key]));
  if (gone !== undefined) return gone;
  const siblings = listKeysAtPath(schema, parent);
  const near = nearestName(key, siblings);
  if (near !== null) return `did you mean ${near}?`;
  const elsewhere = listKeyPaths(schema).find((path) => path.endsWith(`.${key}`) || path === key);
  if (elsewhere !== undefined) return `did you mean ${elsewhere}?`;
  return siblings.length > 0 ? `known keys: ${siblings.join(', ')}` : null;
}
