import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Io } from '../../domain/shown/io.ts';
import type { Session } from '../../domain/state/session.ts';
import { record, viewSession } from '../../engine/record.ts';
import { pushBranch } from '../../git/refs/push-branch.ts';
import { noRemote, pickRemote } from '../../store/sync/pick-remote.ts';
import { type PullRequestText, renderPullRequest } from '../../ui/render/render-pull-request.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { readGhValue } from '../forge/read-gh-json.ts';
import { parseAddress } from '../forge/read-news.ts';
import { runGh } from '../forge/run-gh.ts';
import type { Opened } from '../open/open-workshop.ts';

type Landing = NonNullable<Session['landing']>;

interface PullRequest extends PullRequestText {
  readonly base: string;
  readonly landing: Landing;
  readonly bodyFile: string;
}

/**
 * Where a session lands on a branch of its own: writes the text of its pull request and, if asked, pushes the
 * branch and opens it with gh. What can't be done is said with the commands that do it by hand. Resolves to
 * the exit code.
 */
export async function preparePullRequest(opened: Opened, io: Io, id: SessionId): Promise<number> {
  const isWanted = opened.wishes.wantsPullRequest;
  const request = await describe(opened, id);
  if (request === null) return isWanted ? nothingLanded(opened) : 0;
  await mkdir(dirname(request.bodyFile), { recursive: true, mode: 0o700 });
  await writeFile(request.bodyFile, request.body);
  const remote = await findRemote(opened, io);
  const commands = commandsFor(request, remote ?? 'origin');
  tell(opened, request, 'prepared', commands);
  if (!isWanted) {
    const url = request.landing.pull_request;
    if (url === null) for (const command of commands) opened.output.hint(command);
    else opened.output.hint('git flame review --pr');
    return 0;
  }
  if (remote === null) throw noObviousRemote(request);
  return open(opened, io, { id, request, remote, commands });
}

async function describe({ workshop, git }: Opened, id: SessionId): Promise<PullRequest | null> {
  const { session, tasks, snapshot } = await viewSession(workshop, id);
  if (session.landing === undefined) return null;
  const text = renderPullRequest(session, tasks, ({ commit }) =>
    commit === null ? null : (snapshot.verdictsOn(commit).at(-1) ?? null),
  );
  const bodyFile = join(git.repository.commonDir, 'blueflame', 'pull-requests', `${id}.md`);
  return { ...text, base: session.base_branch, landing: session.landing, bodyFile };
}

interface Opening {
  readonly id: SessionId;
  readonly request: PullRequest;
  readonly remote: string;
  readonly commands: readonly [string, string];
}

async function open(opened: Opened, io: Io, { id, request, remote, commands }: Opening): Promise<number> {
  const { workshop } = opened;
  const { branch, pull_request: known } = request.landing;
  const pushed = await pushBranch({ cwd: workshop.root, env: io.env }, remote, branch);
  if (pushed.kind === 'refused')
    return failed(opened, `git push did not push ${branch} to ${remote}`, pushed.output, commands);
  if (known !== null) {
    tell(opened, request, 'updated', commands);
    return keepTrue(opened, io, request, known);
  }
  const retry = commands[1];
  try {
    const found = await findOpen(opened, io, branch, retry);
    const url = found ?? (await create(opened, io, request, retry));
    await record(workshop, id, ({ session }) => ({
      session: {
        next: { ...session, landing: { ...(session.landing ?? request.landing), pull_request: url } },
        subject: `session: pull request ${url}`,
      },
    }));
    const known = { ...request, landing: { ...request.landing, pull_request: url } };
    tell(opened, known, found === null ? 'opened' : 'updated', commands);
    return found === null ? 0 : keepTrue(opened, io, known, url);
  } catch (error) {
    if (!(error instanceof FlameError) || !/^gh-|^no-gh$/.test(error.code)) throw error;
    const why = `${branch} is pushed, but gh opened no pull request: ${error.message}`;
    return failed(opened, why.replace(/\.$/, ''), error.lines.join('\n'), error.hints);
  }
}

/**
 * The pull request that is open for a branch already, as after a kill between its opening and its record; null: there is
 * none. Throws the FlameErrors of runGh, and `gh-unreadable`.
 */
async function findOpen({ workshop }: Opened, io: Io, branch: string, retry: string): Promise<string | null> {
  try {
    const words = ['pr', 'view', branch, '--json', 'url,state'];
    const { url, state } = readGhValue(foundSchema, await runGh({ cwd: workshop.root, io, retry }, words));
    return state === 'OPEN' ? url : null;
  } catch (error) {
    // That there is none is a failure to gh. Of any other failure, opening it tells: it never opens a second one.
    if (error instanceof FlameError && error.code === 'gh-failed') return null;
    throw error;
  }
}

const foundSchema = z.object({
  url: z.string().refine((url) => parseAddress(url, 'pull') !== null, 'is no address of a pull request'),
  state: z.string(),
});

/** Opens it; resolves to its address. Throws the FlameErrors of runGh, and `gh-no-address`. */
async function create({ workshop }: Opened, io: Io, request: PullRequest, retry: string): Promise<string> {
  const printed = await runGh({ cwd: workshop.root, io, retry }, createWords(request));
  const lines = printed.split('\n').map((line) => line.trim());
  const url = lines.findLast((line) => parseAddress(line, 'pull') !== null);
  if (url !== undefined) return url;
  throw new FlameError({
    kind: 'refused',
    code: 'gh-no-address',
    message: 'it printed no address of one.',
    details: lines.filter((line) => line !== '').slice(-5),
    hints: [`gh pr view ${shellQuote(request.landing.branch)}`, 'git flame review --pr'],
  });
}

function createWords({ base, landing, title, bodyFile }: PullRequest): readonly string[] {
  return [
    ...['pr', 'create', '--base', base, '--head', landing.branch],
    ...['--title', title, '--body-file', bodyFile],
  ];
}

/** Title and body say what is on the branch now. Resolves to the exit code. */
async function keepTrue(opened: Opened, io: Io, request: PullRequest, url: string): Promise<number> {
  const words = ['pr', 'edit', url, '--title', request.title, '--body-file', request.bodyFile];
  const gh = { cwd: opened.workshop.root, io, retry: ['gh', ...words].map(shellQuote).join(' ') };
  try {
    await runGh(gh, words);
    return 0;
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    const message = `${request.landing.branch} is pushed, but title and body of its pull request are as before: ${error.message}`;
    opened.workshop.events.emit({ event: 'notice', level: 'warning', message, details: [...error.lines] });
    for (const hint of error.hints) opened.output.hint(hint);
    return 1;
  }
}

/** By hand: push, then open. */
function commandsFor(request: PullRequest, remote: string): readonly [string, string] {
  const push = `git push ${shellQuote(remote)} ${shellQuote(request.landing.branch)}`;
  return [push, ['gh', ...createWords(request)].map(shellQuote).join(' ')];
}

function tell(
  { workshop }: Opened,
  { base, landing, title, body, bodyFile }: PullRequest,
  state: 'prepared' | 'opened' | 'updated',
  commands: readonly string[],
): void {
  workshop.events.emit({
    event: 'pull-request',
    state,
    branch: landing.branch,
    base,
    title,
    body,
    body_file: bodyFile,
    url: landing.pull_request,
    commands,
  });
}

function failed(
  { workshop, output }: Opened,
  message: string,
  said: string,
  commands: readonly string[],
): number {
  const details = said
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-5);
  workshop.events.emit({ event: 'notice', level: 'warning', message: `${message}.`, details });
  for (const command of commands) output.hint(command);
  return 1;
}

function nothingLanded({ workshop }: Opened): number {
  const message =
    'There is no pull request to open: nothing has landed on a branch of its own (project.landing: branch).';
  workshop.events.emit({ event: 'notice', level: 'warning', message });
  return 1;
}

/** null: there is none, or several and none of them is the obvious one. */
async function findRemote({ workshop }: Opened, io: Io): Promise<string | null> {
  try {
    return await pickRemote({ cwd: workshop.root, env: io.env }, null);
  } catch (error) {
    if (!(error instanceof FlameError) || error.code !== 'no-remote') throw error;
    return null;
  }
}

function noObviousRemote({ base, landing }: PullRequest): FlameError {
  return noRemote(
    `Cannot choose a remote for ${landing.branch}: there is none, or several and none is called origin.`,
    [
      'git remote add origin URL',
      `git config ${shellQuote(`branch.${base}.remote`)} REMOTE`,
      'git flame review --pr',
    ],
  );
}
