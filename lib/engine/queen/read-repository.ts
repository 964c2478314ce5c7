import { boundText, oneLine } from '../../core/task/one-line.ts';
import type { Config } from '../../domain/config/config.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import { type ObjectId, parseAgentId } from '../../domain/ids.ts';
import type { AgentPolicy } from '../../domain/policy.ts';
import type { FoundLine, GitFiles } from '../../domain/ports/git-contents.ts';
import { compilePolicy } from '../../policy/compile-policy.ts';
import { judgeName } from '../../policy/judge-path.ts';
import { shortId } from '../../util/short-id.ts';
import type { WithGit } from '../workshop.ts';
import { refusal } from './refusals.ts';

type Reading = { readonly config: Config } & WithGit<Pick<GitFiles, 'readTexts' | 'listFiles' | 'search'>>;

const longestPart = 8_000;
const mostLines = 400;
const pageOfPaths = 200;
const pageOfMatches = 100;
const longestMatch = 300;
const mostOfFile = 50;
/** A tree that is larger is listed as far as this. */
const mostPaths = 500_000;

interface FilePart {
  readonly path: string;
  readonly commit: ObjectId;
  /** The first line of the text; lines count from 1. */
  readonly line: number;
  readonly lines_in_all: number;
  readonly text: string;
  /** Where to go on; null: that was the end. */
  readonly next_line: number | null;
}

/**
 * Lines of a text file of a commit, at most 400 of them and 8,000 characters; of a symbolic link where it points.
 * Throws FlameErrors `bad-path`, `path-blocked`, `no-such-file`, `not-text`, `is-folder`.
 */
export async function readRepositoryFile(
  reading: Reading,
  asked: {
    readonly commit: ObjectId;
    readonly path: string;
    readonly line?: number;
    readonly lines?: number;
  },
): Promise<FilePart> {
  const { commit, line = 1, lines: wanted = mostLines } = asked;
  const path = requirePath(reading.config, asked.path);
  const text = (await reading.git.readTexts(commit, [path])).get(path);
  if (text === undefined) throw await explainAbsence(reading, commit, path);
  const all = text.replace(/\n$/, '').split('\n');
  const taken = takeLines(all.slice(line - 1, line - 1 + Math.min(wanted, mostLines)));
  const after = line + taken.count;
  return {
    ...{ path, commit, line, lines_in_all: all.length },
    text: taken.text,
    next_line: after > all.length ? null : after,
  };
}

/** Whole lines as far as they fit; a first line that is too long by itself is cut and says so. */
function takeLines(lines: readonly string[]): { readonly text: string; readonly count: number } {
  let text = '';
  let count = 0;
  for (const line of lines) {
    if (text.length + line.length + 1 > longestPart) break;
    text += `${line}\n`;
    count += 1;
  }
  const [first] = lines;
  if (count > 0 || first === undefined) return { text, count };
  const rest = first.length - longestPart;
  return {
    text: `${first.slice(0, longestPart)}\n[${rest} more characters of this line are left out]`,
    count: 1,
  };
}

interface FolderPart {
  readonly path: string;
  readonly commit: ObjectId;
  /** Folders end in `/`. */
  readonly entries: readonly string[];
  /** How many agents may not read. */
  readonly left_out: number;
  readonly next_cursor: number | null;
}

/**
 * What is in a folder of a commit, 200 names from `cursor` on; '' is the top. Throws FlameErrors `bad-path`,
 * `path-blocked`, `no-such-file`, `is-file`.
 */
export async function listRepositoryFolder(
  reading: Reading,
  asked: { readonly commit: ObjectId; readonly path: string; readonly cursor?: number },
): Promise<FolderPart> {
  const { commit, cursor = 0 } = asked;
  const isTop = asked.path === '' || asked.path === '.' || asked.path === '/';
  const path = isTop ? '' : requirePath(reading.config, asked.path);
  const prefix = isTop ? '' : `${path}/`;
  const all = await reading.git.listFiles(commit, mostPaths);
  const names = new Set<string>();
  for (const file of all) {
    if (!file.startsWith(prefix)) continue;
    const [name = '', ...below] = file.slice(prefix.length).split('/');
    names.add(below.length === 0 ? name : `${name}/`);
  }
  if (all.includes(path))
    throw refusal({
      code: 'is-file',
      message: `${JSON.stringify(path.slice(0, 200))} is a file, not a folder.`,
      next: 'read_file shows what is in it',
    });
  if (names.size === 0 && !isTop) throw await explainAbsence(reading, commit, path);
  const policy = readersPolicy(reading.config);
  const shown = [...names].filter(
    (name) => judgeName(policy, `${prefix}${name.replace(/\/$/, '')}`, 'read') === null,
  );
  const after = cursor + pageOfPaths;
  return {
    ...{ path, commit, entries: shown.slice(cursor, after), left_out: names.size - shown.length },
    next_cursor: after < shown.length ? after : null,
  };
}

interface SearchPart {
  readonly commit: ObjectId;
  /** Each line is cut to 300 characters. */
  readonly matches: readonly FoundLine[];
  /** Lines in files that agents may not read. */
  readonly left_out: number;
  readonly next_cursor: number | null;
  /** Set where there is more than can be listed. */
  readonly incomplete?: string;
}

/**
 * Lines of the text files of a commit that hold an extended regular expression, 100 of them from `cursor` on or 8,000
 * characters, at most 50 of a file. Throws FlameErrors `bad-path`, `path-blocked`, `bad-pattern`, `search-too-long`.
 */
export async function searchRepository(
  reading: Reading,
  asked: {
    readonly commit: ObjectId;
    readonly pattern: string;
    readonly path: string;
    readonly ignoresCase: boolean;
    readonly cursor: number;
  },
): Promise<SearchPart> {
  const { commit, pattern, ignoresCase, cursor } = asked;
  const isTop = asked.path === '' || asked.path === '.' || asked.path === '/';
  const path = isTop ? '' : requirePath(reading.config, asked.path);
  if (/[\0\n]/.test(pattern)) throw badPattern('it has more than one line');
  const found = await reading.git.search(commit, { pattern, path, ignoresCase, mostOfFile });
  if (found.kind === 'bad-pattern') throw badPattern(found.message);
  if (found.kind === 'too-long')
    throw refusal({
      code: 'search-too-long',
      message: 'The search took too long and was ended.',
      next: 'Search for plainer words, or below a path',
    });
  const policy = readersPolicy(reading.config);
  const mayShow = new Map<string, boolean>();
  const shown = found.lines.filter(({ path: name }) => {
    const known = mayShow.get(name) ?? judgeName(policy, name, 'read') === null;
    mayShow.set(name, known);
    return known;
  });
  const matches = takeMatches(shown.slice(cursor, cursor + pageOfMatches));
  const after = cursor + matches.length;
  return {
    ...{ commit, matches, left_out: found.lines.length - shown.length },
    next_cursor: after < shown.length ? after : null,
    ...(found.isCut ? { incomplete: 'There is more than can be listed: search below a path.' } : {}),
  };
}

/** As many as fit, one at least. */
function takeMatches(lines: readonly FoundLine[]): readonly FoundLine[] {
  let length = 0;
  const cut = lines.map((line) => ({ ...line, text: boundText(line.text, longestMatch) }));
  return cut.filter(({ path, text }, index) => {
    length += path.length + text.length;
    return index === 0 || length <= longestPart;
  });
}

function badPattern(why: string): FlameError {
  return refusal({
    code: 'bad-pattern',
    message: `This is no pattern that can be searched for: ${oneLine(why)}.`,
    next: 'Give an extended regular expression of one line; \\ before . ( ) [ ] { } + * ? | ^ $ means the sign itself',
  });
}

/** A path of the repository that agents may read, without `./` before or `/` behind it. */
function requirePath(config: Config, asked: string): string {
  const path = asked.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
  const segments = path.split('/');
  const isPlain = path !== '' && !segments.some((name) => name === '' || name === '.' || name === '..');
  if (!isPlain || path.includes('\0'))
    throw refusal({
      code: 'bad-path',
      message: `${JSON.stringify(asked.slice(0, 200))} is no path of the repository.`,
      next: 'Give it relative to the top of the repository, like src/index.ts; list_files shows what is there',
    });
  const objection = judgeName(readersPolicy(config), path, 'read')?.details ?? null;
  if (objection === null) return path;
  throw refusal({
    code: 'path-blocked',
    message: objection,
    next: 'Lead without it; what agents may not read you may not either',
  });
}

/** The rules of whoever leads: compiled once for all that is asked about at a time. */
function readersPolicy(config: Config): AgentPolicy {
  const agentId = parseAgentId('queen-00000000');
  return compilePolicy({ config, role: 'queen', agentId, worktree: '/', fileLocks: [] });
}

async function explainAbsence({ git }: Reading, commit: ObjectId, path: string) {
  const files = await git.listFiles(commit, mostPaths);
  const named = JSON.stringify(path.slice(0, 200));
  if (files.includes(path))
    return refusal({
      code: 'not-text',
      message: `${named} is no text: it is binary, not UTF-8, a submodule, or above 1 MiB.`,
      next: 'Give its handling to a task; get_task_output shows diffs',
    });
  if (files.some((file) => file.startsWith(`${path}/`)))
    return refusal({
      code: 'is-folder',
      message: `${named} is a folder.`,
      next: 'list_files shows what is in it',
    });
  return refusal({
    code: 'no-such-file',
    message: `There is no ${named} in commit ${shortId(commit)}.`,
    next: 'list_files shows what is there',
  });
}
