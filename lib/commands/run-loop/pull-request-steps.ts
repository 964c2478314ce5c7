import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { pushBranch } from '../../git/refs/remote-branch.ts';
import { chooseRemote, noRemoteError } from '../../store/sync/remote-refs.ts';
import { killPoint } from '../../util/kill-point.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { cutBodyToHostLimit, type PreparedPullRequest } from '../forge/forge-commands.ts';
import { type Forge, findForgeOfAddress, openForge, pickForge } from '../forge/open-forge.ts';
import { isForgeError } from '../forge/run-forge.ts';
import type { CommandContext } from '../run-context/open-run-context.ts';

/** A request as it is reported: with its address once it is open. */
export interface ReportedPullRequest extends PreparedPullRequest {
  readonly url: string | null;
}

/**
 * Writes the text of a request to its file, cut to the length that its host takes. Warns where it was cut, and names
 * the file that holds all of it.
 */
export async function writePullRequestBody<Request extends PreparedPullRequest>(
  { context }: CommandContext,
  forge: Forge,
  request: Request,
): Promise<Request> {
  const { bodyFile } = request;
  const body = cutBodyToHostLimit(request.body, { longest: forge.longestBody, host: forge.host });
  await mkdir(dirname(bodyFile), { recursive: true, mode: 0o700 });
  await writeFile(bodyFile, body);
  if (body === request.body) return request;
  const whole = bodyFile.replace(/\.md$/, '.whole.md');
  await writeFile(whole, request.body);
  const message = `The text of the ${forge.noun} of ${request.branch} is longer than ${forge.host} accepts, so its end is left out: ${whole} has all of it.`;
  context.events.emit({ event: 'notice', level: 'warning', message, details: [] });
  return { ...request, body };
}

/** Updates title and body to what is on the branch now. Resolves to the exit code. */
async function keepTrue(
  opened: CommandContext,
  forge: Forge,
  request: PreparedPullRequest,
  url: string,
): Promise<number> {
  try {
    await forge.update(url, request);
    return 0;
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    const message = `${request.branch} is pushed, but title and body of its ${forge.noun} were not updated: ${error.message}`;
    opened.context.events.emit({ event: 'notice', level: 'warning', message, details: [...error.lines] });
    for (const hint of error.hints) opened.output.hint(hint);
    return 1;
  }
}

/** A request to show at its host. */
interface Showing {
  readonly request: ReportedPullRequest;
  readonly remote: string;
  readonly forge: Forge;
  readonly commands: readonly [string, string];
  /** Whether it was closed at its host: another one is not opened instead. */
  readonly isClosed?: boolean;
  /** Records its address, and the base it goes into. */
  keep(url: string): Promise<void>;
}

/** Pushes a branch and has its request there, open and true. Resolves to the exit code. */
export async function pushAndOpenPullRequest(
  opened: CommandContext,
  io: Io,
  { request, remote, forge, commands, isClosed = false, keep }: Showing,
): Promise<number> {
  const { branch, url, base } = request;
  const pushed = await pushBranch({ cwd: opened.context.root, env: io.env }, remote, branch);
  if (pushed.kind === 'refused')
    return failed(opened, `git push did not push ${branch} to ${remote}`, pushed.output, commands);
  if (url !== null && isClosed) {
    const why = `${branch} is pushed, but its ${forge.noun} was closed there`;
    return failed(opened, why, '', [forge.reopenLine(url), 'git flame review --pr']);
  }
  if (url !== null) {
    reportPullRequest(opened, request, 'updated', commands);
    const code = await keepTrue(opened, forge, request, url);
    if (code === 0) await keep(url);
    return code;
  }
  try {
    // A request may exist already, as after a kill between its opening and its record.
    const found = await forge.find(branch);
    const made = found ?? (await forge.create(request));
    killPoint('request opened');
    // An existing request may have another base.
    const isWhole = found === null && request.body.length <= forge.longestNew;
    const code = isWhole ? 0 : await keepTrue(opened, forge, { ...request, newBase: base }, made);
    await keep(made);
    reportPullRequest(opened, { ...request, url: made }, found === null ? 'opened' : 'updated', commands);
    return code;
  } catch (error) {
    if (!isForgeError(error)) throw error;
    const why = `${branch} is pushed, but ${forge.name} opened no ${forge.noun}: ${error.message}`;
    return failed(opened, why.replace(/\.$/, ''), error.lines.join('\n'), [...error.hints, commands[1]]);
  }
}

/** The program that knows the request there is, else that of the remote. */
export async function openForgeOfRequest(
  { context: { config, root: cwd } }: CommandContext,
  io: Io,
  url: string | null,
  remote: string,
): Promise<Forge> {
  const name = url === null ? await pickForge(config, { cwd, io }, remote) : findForgeOfAddress(url);
  return openForge(name, { cwd, io, retry: 'git flame review --pr' });
}

/** By hand: push, then open. */
export function listPullRequestCommands(
  forge: Forge,
  request: PreparedPullRequest,
  remote: string,
): readonly [string, string] {
  const push = `git push ${shellQuote(remote)} ${shellQuote(request.branch)}`;
  return [push, forge.createLine(request)];
}

export function reportPullRequest(
  { context }: CommandContext,
  { base, branch, title, body, bodyFile, url }: ReportedPullRequest,
  state: 'prepared' | 'opened' | 'updated',
  commands: readonly string[],
): void {
  context.events.emit({
    event: 'pull-request',
    state,
    branch,
    base,
    title,
    body,
    body_file: bodyFile,
    url,
    commands,
  });
}

function failed(
  { context, output }: CommandContext,
  message: string,
  said: string,
  commands: readonly string[],
): number {
  const details = said
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-5);
  context.events.emit({ event: 'notice', level: 'warning', message: `${message}.`, details });
  for (const command of commands) output.hint(command);
  return 1;
}

/** null: there is none, or several and none of them is the obvious one. */
export async function findObviousRemote({ context }: CommandContext, io: Io): Promise<string | null> {
  try {
    return await chooseRemote({ cwd: context.root, env: io.env }, null);
  } catch (error) {
    if (!(error instanceof FlameError) || error.code !== 'no-remote') throw error;
    return null;
  }
}

export function noObviousRemoteError({ base, branch }: PreparedPullRequest): FlameError {
  return noRemoteError(`Cannot choose a remote for ${branch}: there is none, or several and none is called origin.`, [
    'git remote add origin URL',
    `git config ${shellQuote(`branch.${base}.remote`)} REMOTE`,
    'git flame review --pr',
  ]);
}
