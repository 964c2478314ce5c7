import { boundText } from '../../core/task/bound-text.ts';
import type { ForgeName } from '../../domain/config/config-project.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import type { FailedCheck, PullRequestNews } from '../../domain/state/pull-request-news.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { runGitForText } from '../../git/process/run-git.ts';
import {
  findPrintedAddress,
  type IssueReference,
  type IssueText,
  parseForgeAddress,
  requireForgeAddress,
  requireOpenIssue,
} from './forge-address.ts';
import {
  type FetchedPullRequestNews,
  type ForgeCommands,
  type ForgeQuery,
  filterRemarks,
  type PreparedPullRequest,
  type PullRequestAddress,
  type RemarkFilter,
} from './forge-commands.ts';
import { githubCommands } from './github-commands.ts';
import { gitlabCommands } from './gitlab-commands.ts';
import { isForgeError, isForgeProgramInstalled, type RunForgeProgram, readForgeValue, runForge } from './run-forge.ts';

const forges: Readonly<Record<ForgeName, ForgeCommands>> = { gh: githubCommands, glab: gitlabCommands };

interface Asking {
  readonly cwd: string;
  readonly io: Io;
  /** The command to try again. */
  readonly retry: string;
}

/** A pull request of GitHub or a merge request of GitLab, as the host's own program handles them. */
export type Forge = ReturnType<typeof openForge>;

/** A host by its program. Everything throws the FlameErrors of runForge and `forge-unreadable`. */
export function openForge(
  name: ForgeName,
  asking: Asking,
  ask: RunForgeProgram = (words) => runForge(name, asking, words),
) {
  const commands = forges[name];
  const answer = async <About, Value>({ words, schema }: ForgeQuery<About, Value>, about: About) =>
    readForgeValue(name, schema, await ask(words(about)));
  const placeOf = (url: string): PullRequestAddress => ({ url, address: requireForgeAddress(url, name) });
  return {
    ...commands,
    name,
    reopenLine: (url: string): string => commands.reopenLine(placeOf(url)),
    /** The open one of a branch; null: there is none. */
    find: async (branch: string): Promise<string | null> => {
      try {
        const { url, isOpen } = await answer(commands.find, branch);
        return isOpen ? url : null;
      } catch (error) {
        // Their programs fail where there is none. Any other failure shows as one is opened, which never opens a second one.
        if (isForgeError(error) && error.code === 'forge-failed') return null;
        throw error;
      }
    },
    /** The state of a request. Throws also FlameError `no-address`. */
    standing: async (url: string) => answer(commands.state, placeOf(url)),
    /** Resolves to its address. Throws also FlameError `forge-no-address`. */
    create: async (request: PreparedPullRequest): Promise<string> =>
      findPrintedAddress(name, await ask(commands.create(request)), commands.viewLine(request.branch)),
    /** Makes title and body those of what is on the branch now. */
    update: async (url: string, request: PreparedPullRequest): Promise<void> => {
      for (const words of commands.update(placeOf(url), request)) await ask(words);
    },
    /**
     * All that was said so far, and what its checks came to; no log of a check that is in `heard`. Throws also FlameError
     * `no-address`.
     */
    news: async (url: string, listening: RemarkFilter, heard: ReadonlySet<string>): Promise<PullRequestNews> => {
      const { remarks, failed, ...standing } = await commands.news(placeOf(url), listening, ask);
      return { ...standing, ...filterRemarks(remarks, listening), failed: await withLogs(failed, heard) };
    },
    /** Throws also FlameError `issue-closed`. */
    issue: async (named: IssueReference): Promise<IssueText> => {
      const issue = await answer(commands.issue, named);
      return requireOpenIssue({ ...issue, forge: name, reopen: commands.reopenIssue(issue.url, named) });
    },
  };
}

/** The most failed checks with the end of their log. */
const mostLogs = 5;

/** Failed checks, the first new ones with the end of their log. */
async function withLogs(
  failed: FetchedPullRequestNews['failed'],
  heard: ReadonlySet<string>,
): Promise<readonly FailedCheck[]> {
  const all: FailedCheck[] = [];
  let logs = 0;
  for (const { check, log } of failed) {
    const isWanted = log !== null && !heard.has(check.id) && logs < mostLogs;
    if (isWanted) logs += 1;
    all.push(isWanted ? { ...check, log: await endOfLog(log) } : check);
  }
  return all;
}

/**
 * Which program speaks with the host of a remote: the one that the configuration names; else by the host's name; else
 * glab where that alone is in PATH, and gh everywhere else.
 */
export async function pickForge(
  config: Pick<Config, 'pull_requests'>,
  { cwd, io }: Pick<Asking, 'cwd' | 'io'>,
  remote: string,
): Promise<ForgeName> {
  const { forge } = config.pull_requests;
  if (forge !== null) return forge;
  const url = await runGitForText({ cwd, env: io.env }, ['remote', 'get-url', '--push', remote], {
    accept: [0, 2, 128],
  });
  const host = hostOf(url);
  if (host.includes('gitlab')) return 'glab';
  if (host.includes('github')) return 'gh';
  return isForgeProgramInstalled('glab', io.env.PATH) && !isForgeProgramInstalled('gh', io.env.PATH) ? 'glab' : 'gh';
}

/** Of `https://host/…`, `ssh://git@host/…` or `git@host:…`; '' of a path. */
function hostOf(url: string): string {
  const [, host = ''] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/]*@)?([\w.-]+)(?=[:/])/i.exec(url) ?? [];
  return host.toLowerCase();
}

/** The program for an address: it is never asked about another host. */
export function findForgeOfAddress(url: string): ForgeName {
  return parseForgeAddress(url)?.forge ?? 'gh';
}

/** The most lines of a log's end. */
const mostLines = 40;
const mostCharacters = 3_000;

// Control sequences of terminals, and the marks of GitLab's sections.
const controls = /\u001b\[[0-9;?]*[A-Za-z]|section_(?:start|end):\d+:[^\r\n]*\r?/g;
const stamp = /^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z /;

/**
 * The end of a failed check's log as data: its last lines, printable, without time stamps. '' where there is none, null
 * where it can't be had: a host gives none before all of a run has ended. Throws what isn't the log's own failure (signed out, no more requests).
 */
async function endOfLog(read: () => Promise<string>): Promise<string | null> {
  try {
    const lines = (await read())
      .replace(controls, '')
      .split('\n')
      .map((line) =>
        withoutStep(line)
          .replace(stamp, '')
          .replace(/^[^\r]*\r(?=[^\r])/, ''),
      )
      .filter((line) => line.trim() !== '');
    return lastOf(lines.slice(-mostLines).map((line) => boundText(line, mostCharacters)));
  } catch (error) {
    if (isForgeError(error) && error.code === 'forge-failed') return null;
    throw error;
  }
}

/** gh puts the names of job and step before each line. */
function withoutStep(line: string): string {
  const [, , third] = line.split('\t', 3);
  return third !== undefined && stamp.test(third) ? line.split('\t').slice(2).join('\t') : line;
}

/** The last whole lines that fit. */
function lastOf(lines: readonly string[]): string {
  let text = '';
  for (const line of [...lines].reverse()) {
    const more = text === '' ? line : `${line}\n${text}`;
    if (more.length > mostCharacters) break;
    text = more;
  }
  return text;
}
