import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Io } from '../../domain/shown/io.ts';
import type { Session } from '../../domain/state/session.ts';
import { record, viewSession } from '../../engine/record.ts';
import { pushBranch } from '../../git/refs/push-branch.ts';
import { noRemote, pickRemote } from '../../store/sync/pick-remote.ts';
import { type PullRequestText, renderPullRequest } from '../../ui/render/render-pull-request.ts';
import { programPath } from '../../util/program-path.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { runGh as runForGood } from '../forge/run-gh.ts';
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
  const gh = programPath('gh', io.env.PATH);
  if (!isAbsolute(gh))
    return failed(opened, `${branch} is pushed; gh, which would open the pull request, is not in PATH`, '', [
      commands[1],
    ]);
  const { exitCode, output } = await runGh(gh, request, workshop.root, io);
  const url = /https?:\/\/\S+/.exec(output)?.[0] ?? null;
  if (exitCode !== 0 || url === null)
    return failed(opened, `${branch} is pushed, but gh opened no pull request`, output, [commands[1]]);
  await record(workshop, id, ({ session }) => ({
    session: {
      next: { ...session, landing: { ...request.landing, pull_request: url } },
      subject: `session: pull request ${url}`,
    },
  }));
  tell(opened, { ...request, landing: { ...request.landing, pull_request: url } }, 'opened', commands);
  return 0;
}

/** Title and body say what is on the branch now. Resolves to the exit code. */
async function keepTrue(opened: Opened, io: Io, request: PullRequest, url: string): Promise<number> {
  const words = ['pr', 'edit', url, '--title', request.title, '--body-file', request.bodyFile];
  const gh = { cwd: opened.workshop.root, io, retry: ['gh', ...words].map(shellQuote).join(' ') };
  try {
    await runForGood(gh, words);
    return 0;
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    const message = `${request.landing.branch} is pushed, but title and body of its pull request are as before: ${error.message}`;
    opened.workshop.events.emit({ event: 'notice', level: 'warning', message, details: [...error.lines] });
    for (const hint of error.hints) opened.output.hint(hint);
    return 1;
  }
}

async function runGh(
  gh: string,
  { base, landing, title, bodyFile }: PullRequest,
  cwd: string,
  io: Io,
): Promise<{ readonly exitCode: number | null; readonly output: string }> {
  const { execa } = await import('execa');
  const child = await execa(
    gh,
    [
      ...['pr', 'create', '--base', base, '--head', landing.branch],
      ...['--title', title, '--body-file', bodyFile],
    ],
    {
      cwd,
      env: { ...io.env, GH_PROMPT_DISABLED: '1', NO_COLOR: '1' },
      extendEnv: false,
      stdin: 'ignore',
      all: true,
      reject: false,
      timeout: 120_000,
    },
  );
  return { exitCode: child.exitCode ?? null, output: child.all || child.originalMessage || '' };
}

/** By hand: push, then open. */
function commandsFor(
  { base, landing, title, bodyFile }: PullRequest,
  remote: string,
): readonly [string, string] {
  const words = [
    ...['gh', 'pr', 'create', '--base', base, '--head', landing.branch],
    ...['--title', title, '--body-file', bodyFile],
  ];
  return [`git push ${shellQuote(remote)} ${shellQuote(landing.branch)}`, words.map(shellQuote).join(' ')];
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
