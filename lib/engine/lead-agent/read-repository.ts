import { boundText, toOneLine } from '../../core/task/bound-text.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import { type ObjectId, parseAgentId } from '../../domain/ids.ts';
import type { CommitSearchLine, GitFiles } from '../../domain/ports/git-contents.ts';
import { compilePolicy } from '../../policy/compile-policy.ts';
import { judgePathByName } from '../../policy/judge-path.ts';
import { shortId } from '../../util/short-names.ts';
import type { WithGit } from '../run-context.ts';
import { leadToolError } from './lead-tool-errors.ts';

/** The commit that is read, by the rules of the configuration. */
type Reading = { readonly config: Config; readonly commit: ObjectId } & WithGit<
  Pick<GitFiles, 'readTexts' | 'listFiles' | 'search'>
>;

const longestPart = 8_000;
const mostLines = 400;
const pageOfPaths = 200;
const pageOfMatches = 100;
const longestMatch = 300;
const mostOfFile = 50;
/** A tree that is larger is listed as far as this. */
const mostPaths = 500_000;

/**
 * Lines of a text file of a commit, at most 400 of them and 8,000 characters; of a symbolic link where it points. Lines
 * count from 1. Throws FlameErrors `bad-path`, `path-blocked`, `no-such-file`, `not-text`, `is-folder`.
 */
export async function readCommitFileForLead(
  reading: Reading,
  { line, lines, ...asked }: { readonly path: string; readonly line: number; readonly lines: number },
) {
  const { git, commit } = reading;
  const path = requirePath(reading, asked.path);
  const text = (await git.readTexts(commit, [path])).get(path);
  if (text === undefined) throw await explainAbsence(reading, path);
  const all = text.replace(/\n$/, '').split('\n');
  const part = takeLines(all.slice(line - 1, line - 1 + Math.min(lines, mostLines)));
  const next = line + part.count;
  const next_line = next > all.length ? null : next;
  return { path, commit, line, lines_in_all: all.length, text: part.text, next_line };
}

/** Whole lines as far as they fit; a first line that is too long by itself is cut, which its end reports. */
function takeLines(lines: readonly string[]): { readonly text: string; readonly count: number } {
  const [first = ''] = lines;
  const rest = first.length + 1 - longestPart;
  if (rest > 0)
    return {
      text: `${first.slice(0, longestPart)}\n[${rest - 1} more characters of this line are left out]`,
      count: 1,
    };
  let length = 0;
  const over = lines.findIndex((line) => {
    length += line.length + 1;
    return length > longestPart;
  });
  const fitting = over === -1 ? lines : lines.slice(0, over);
  return { text: fitting.map((line) => `${line}\n`).join(''), count: fitting.length };
}

/**
 * Names in a folder of a commit, 200 from `cursor` on; '' is the top, folders end in `/`. Throws FlameErrors `bad-path`,
 * `path-blocked`, `no-such-file`, `is-file`.
 */
export async function listRepositoryFolder(
  reading: Reading,
  asked: { readonly path: string; readonly cursor: number },
) {
  const { git, commit } = reading;
  const path = requireFolder(reading, asked.path);
  const prefix = path === '' ? '' : `${path}/`;
  const all = await git.listFiles(commit, mostPaths);
  if (all.includes(path))
    throw leadToolError({
      code: 'is-file',
      message: `${quoted(path)} is a file, not a folder.`,
      next: 'read_file shows its content',
    });
  const below = all.filter((file) => file.startsWith(prefix)).map((file) => file.slice(prefix.length));
  const names = [...new Set(below.map((file) => file.replace(/\/.*$/s, '/')))];
  if (names.length === 0 && path !== '') throw await explainAbsence(reading, path);
  const mayRead = readableBy(reading);
  const shown = names.filter((name) => mayRead(`${prefix}${name.replace(/\/$/, '')}`) === null);
  const next = asked.cursor + pageOfPaths;
  return {
    path,
    commit,
    entries: shown.slice(asked.cursor, next),
    left_out: names.length - shown.length,
    next_cursor: next < shown.length ? next : null,
  };
}

/**
 * Lines of the text files of a commit that hold an extended regular expression, 100 of them from `cursor` on or 8,000
 * characters, at most 50 of a file. Throws FlameErrors `bad-path`, `path-blocked`, `bad-pattern`, `search-too-long`.
 */
export async function searchRepository(
  reading: Reading,
  asked: {
    readonly pattern: string;
    readonly path: string;
    readonly ignoresCase: boolean;
    readonly cursor: number;
  },
) {
  const { git, commit } = reading;
  const { pattern, ignoresCase, cursor } = asked;
  const path = requireFolder(reading, asked.path);
  if (/[\0\n]/.test(pattern)) throw badPattern('it has more than one line');
  const found = await git.search(commit, { pattern, path, ignoresCase, mostOfFile });
  if (found.kind === 'bad-pattern') throw badPattern(found.message);
  if (found.kind === 'too-long')
    throw leadToolError({
      code: 'search-too-long',
      message: 'The search took too long and was ended.',
      next: 'Use a simpler pattern, or search below a path',
    });
  const mayRead = readableBy(reading);
  const shown = found.lines.filter((one) => mayRead(one.path) === null);
  const matches = takeMatches(shown.slice(cursor, cursor + pageOfMatches));
  const next = cursor + matches.length;
  return {
    commit,
    matches,
    left_out: found.lines.length - shown.length,
    next_cursor: next < shown.length ? next : null,
    ...(found.isCut ? { incomplete: 'There are more matches than can be listed: search below a path.' } : {}),
  };
}

/** As many as fit, one at least. */
function takeMatches(lines: readonly CommitSearchLine[]): readonly CommitSearchLine[] {
  let length = 0;
  const cut = lines.map((line) => ({ ...line, text: boundText(line.text, longestMatch) }));
  return cut.filter(({ path, text }, index) => {
    length += path.length + text.length;
    return index === 0 || length <= longestPart;
  });
}

function badPattern(why: string): FlameError {
  return leadToolError({
    code: 'bad-pattern',
    message: `The search pattern is not valid: ${toOneLine(why)}.`,
    next: 'Give an extended regular expression of one line. Put \\ before . ( ) [ ] { } + * ? | ^ $ to match the character itself',
  });
}

/** '' for the top of the repository. */
function requireFolder(reading: Pick<Reading, 'config'>, asked: string): string {
  return asked === '' || asked === '.' || asked === '/' ? '' : requirePath(reading, asked);
}

/** A path of the repository that agents may read, without `./` before or `/` behind it. */
function requirePath(reading: Pick<Reading, 'config'>, asked: string): string {
  const path = asked.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
  if (path.includes('\0') || path.split('/').some((name) => name === '' || name === '.' || name === '..'))
    throw leadToolError({
      code: 'bad-path',
      message: `${quoted(asked)} is not a path in the repository.`,
      next: 'Give the path relative to the top of the repository, like src/index.ts. list_files shows the files',
    });
  const objection = readableBy(reading)(path);
  if (objection === null) return path;
  throw leadToolError({
    code: 'path-blocked',
    message: objection,
    next: 'Continue without it. You may read only what agents may read',
  });
}

/** Why the lead agent may not read a path, null where it may; each is judged once. */
function readableBy({ config }: Pick<Reading, 'config'>): (path: string) => string | null {
  const agentId = parseAgentId('queen-00000000');
  const policy = compilePolicy({ config, role: 'queen', agentId, worktree: '/', fileLocks: [] });
  const known = new Map<string, string | null>();
  return (path) => {
    if (!known.has(path)) known.set(path, judgePathByName(policy, path, 'read')?.details ?? null);
    return known.get(path) ?? null;
  };
}

async function explainAbsence({ git, commit }: Reading, path: string): Promise<FlameError> {
  const files = await git.listFiles(commit, mostPaths);
  if (files.includes(path))
    return leadToolError({
      code: 'not-text',
      message: `${quoted(path)} is not text: it is binary, not UTF-8, a submodule, or larger than 1 MiB.`,
      next: 'Leave it to a task. get_task_output shows diffs',
    });
  const next = 'list_files shows the files';
  if (files.some((file) => file.startsWith(`${path}/`)))
    return leadToolError({ code: 'is-folder', message: `${quoted(path)} is a folder.`, next });
  const message = `There is no ${quoted(path)} in commit ${shortId(commit)}.`;
  return leadToolError({ code: 'no-such-file', message, next });
}

function quoted(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}
