import * as z from 'zod';
import { FlameError } from '../../domain/flame-error.ts';

/** Reads one JSON value that gh or glab printed. Throws FlameError `forge-unreadable` where it is none, or cut off. */
export function readForgeValue<Value>(schema: z.ZodType<Value>, text: string): Value {
  const [value, ...more] = splitValues(text);
  if (value === undefined || more.length > 0) throw unreadable('it is not one JSON document');
  return check(schema, value);
}

/**
 * Reads the pages of a list that `gh api --paginate` or `glab api --paginate` printed: one list, or, as glab and
 * older versions of gh do, a list after the other. Throws FlameError `forge-unreadable` where one is cut off: half of them is not taken for all.
 */
export function readForgePages<Value>(schema: z.ZodType<Value>, text: string): readonly Value[] {
  return splitValues(text).flatMap((page) => check(z.array(schema), page));
}

/** JSON values one after the other. */
function splitValues(text: string): readonly unknown[] {
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
      if (depth === 0) values.push(parse(text.slice(start, at + 1)));
    }
  }
  if (depth !== 0 || isQuoted) throw unreadable('it ends in the middle');
  return values;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable('it is no JSON');
  }
}

function check<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw unreadable(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is something else'}`);
}

function unreadable(why: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'forge-unreadable',
    message: `What was printed about it can't be read (${why}), and nothing was taken over.`,
    hints: ['gh --version', 'glab --version', 'Then again, or with another version of it'],
  });
}
