import * as z from 'zod';
import type { ForgeName } from '../../domain/config/config-project.ts';
import { FlameError } from '../../domain/flame-error.ts';

/** Reads one JSON value that gh or glab printed. Throws FlameError `forge-unreadable` where it is none, or cut off. */
export function readForgeValue<Value>(name: ForgeName, schema: z.ZodType<Value>, text: string): Value {
  const [value, ...more] = splitValues(name, text);
  if (value === undefined || more.length > 0) throw unreadable(name, 'it is not one JSON document');
  return check(name, schema, value);
}

/**
 * Reads the pages of a list that `gh api --paginate` or `glab api --paginate` printed: one list, or, as glab and
 * older versions of gh do, a list after the other. Throws FlameError `forge-unreadable` where one is cut off: half of them is not taken for all.
 */
export function readForgePages<Value>(
  name: ForgeName,
  schema: z.ZodType<Value>,
  text: string,
): readonly Value[] {
  return splitValues(name, text).flatMap((page) => check(name, z.array(schema), page));
}

/** JSON values one after the other. */
function splitValues(name: ForgeName, text: string): readonly unknown[] {
  const values: unknown[] = [];
  let depth = 0;
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (isQuoted) {
      if (char === '\\') at += 1;
      else if (char === '"') isQuoted = false;
      continue;
    }
    if (char === '"') isQuoted = true;
    else if (char === '[' || char === '{') {
      if (depth === 0) start = at;
      depth += 1;
    } else if (char === ']' || char === '}') {
      depth -= 1;
      if (depth === 0) values.push(parse(name, text.slice(start, at + 1)));
    }
  }
  if (depth !== 0 || isQuoted) throw unreadable(name, 'it ends in the middle');
  return values;
}

function parse(name: ForgeName, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(name, 'it is no JSON');
  }
}

function check<Value>(name: ForgeName, schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw unreadable(name, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is something else'}`);
}

function unreadable(name: ForgeName, why: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'forge-unreadable',
    message: `What ${name} printed about it can't be read (${why}), and nothing was taken over.`,
    hints: [`${name} --version`, 'Then again, or with another version of it'],
  });
}
