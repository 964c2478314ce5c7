import { isAbsolute } from 'node:path';
import * as z from 'zod';
import type { ForgeName } from '../../domain/config/config-project.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { toPrintableLine } from '../../ui/text/printable-text.ts';
import { programPath } from '../../util/child-programs.ts';

/** The most bytes of a page of comments; more is an error, and nothing is taken. */
const maxBytes = 50_000_000;
const timeoutMs = 120_000;

/** A host's program: its name, and where to get it. */
interface ForgeProgram {
  readonly host: string;
  readonly site: string;
  readonly limits: string;
  readonly env: Readonly<Record<string, string>>;
}

const programs: Readonly<Record<ForgeName, ForgeProgram>> = {
  gh: {
    host: 'GitHub',
    site: 'cli.github.com',
    limits: 'gh api rate_limit shows until when',
    env: { GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1' },
  },
  glab: {
    host: 'GitLab',
    site: 'docs.gitlab.com/cli',
    limits: 'Its limits are counted by the minute',
    env: { NO_PROMPT: '1', GLAB_NO_PROMPT: '1', GLAB_CHECK_UPDATE: 'false' },
  },
};

/** Runs the program of a host with these arguments; resolves to what it printed. */
export type RunForgeProgram = (args: readonly string[]) => Promise<string>;

/** Whether a program of that name is in PATH. */
export function isForgeProgramInstalled(name: ForgeName, searchPath: string | undefined): boolean {
  return isAbsolute(programPath(name, searchPath));
}

/**
 * Runs the person's gh or glab, with their sign-in, and resolves to what it printed. Throws FlameErrors `no-forge`,
 * `forge-logged-out`, `forge-rate-limited` and `forge-failed`, with its own words: what it printed before it failed
 * counts for nothing.
 */
export async function runForge(
  name: ForgeName,
  { cwd, io, retry }: { readonly cwd: string; readonly io: Io; readonly retry: string },
  args: readonly string[],
): Promise<string> {
  const program = programPath(name, io.env.PATH);
  if (!isAbsolute(program)) throw noForge(name, retry);
  const { execa } = await import('execa');
  const ended = await execa(program, args, {
    cwd,
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    timeout: timeoutMs,
    maxBuffer: maxBytes,
    env: { ...io.env, ...programs[name].env, NO_COLOR: '1', CLICOLOR_FORCE: '0' },
  });
  if (ended.exitCode === 0 && !ended.isMaxBuffer) return ended.stdout;
  throw explain(name, {
    exitCode: ended.exitCode ?? null,
    output: ended.stderr || ended.originalMessage || '',
    retry,
  });
}

/** True if gh or glab itself failed, for any reason. */
export function isForgeError(error: unknown): error is FlameError {
  return error instanceof FlameError && /^forge-|^no-forge$/.test(error.code);
}

function noForge(name: ForgeName, retry: string): FlameError {
  const { host, site } = programs[name];
  return new FlameError({
    kind: 'environment',
    code: 'no-forge',
    message: `${name}, which asks ${host}, is not in PATH.`,
    hints: [`install ${name} (${site}), then: ${name} auth login`, retry],
  });
}

interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
  readonly retry: string;
}

/** gh ends with 4 where it is not signed in; the rest is in their words. */
function explain(name: ForgeName, { exitCode, output, retry }: Ended): FlameError {
  const { host, limits } = programs[name];
  const details = output
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-5)
    .map(toPrintableLine);
  if (/rate limit|HTTP 429|429 Too Many|too many requests/i.test(output))
    return new FlameError({
      kind: 'refused',
      code: 'forge-rate-limited',
      details,
      message: `${host} accepts no more requests now, so nothing was imported.`,
      hints: [limits, retry],
    });
  if ((name === 'gh' && exitCode === 4) || /HTTP 401|401 Unauthorized|\b(?:gh|glab) auth login/.test(output))
    return new FlameError({
      kind: 'environment',
      code: 'forge-logged-out',
      details,
      message: `${name} is not signed in, so it can't be asked.`,
      hints: [`${name} auth login`, retry],
    });
  return new FlameError({
    kind: 'refused',
    code: 'forge-failed',
    details,
    message: `${name} failed (${exitCode === null ? 'it was killed' : `exit code ${exitCode}`}), so nothing was imported.`,
    hints: [retry],
  });
}

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
export function readForgePages<Value>(name: ForgeName, schema: z.ZodType<Value>, text: string): readonly Value[] {
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
    throw unreadable(name, 'it is not JSON');
  }
}

function check<Value>(name: ForgeName, schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw unreadable(name, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'has another type'}`);
}

function unreadable(name: ForgeName, why: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'forge-unreadable',
    message: `The output of ${name} can't be read (${why}), so nothing was imported.`,
    hints: [`${name} --version`, 'Try again, or with another version of it'],
  });
}
