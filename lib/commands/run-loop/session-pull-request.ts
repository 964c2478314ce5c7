import { join } from 'node:path';
import type { SessionId } from '../../domain/ids.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { decideAndRecord, viewSession } from '../../engine/record-changes.ts';
import { readGuidesOfLanded } from '../../engine/review/read-guide.ts';
import { renderSessionPullRequest } from '../../ui/render/render-pull-request.ts';
import type { Forge } from '../forge/open-forge.ts';
import { isForgeError } from '../forge/run-forge.ts';
import type { CommandContext } from '../run-context/open-run-context.ts';
import { prepareChangesetPullRequests } from './changeset-pull-requests.ts';
import {
  findObviousRemote,
  listPullRequestCommands,
  noObviousRemoteError,
  openForgeOfRequest,
  pushAndOpenPullRequest,
  type ReportedPullRequest,
  reportPullRequest,
  writePullRequestBody,
} from './pull-request-steps.ts';

type Landing = NonNullable<Session['landing']>;

interface PullRequest extends ReportedPullRequest {
  readonly landing: Landing;
}

/**
 * Where a session lands on a branch of its own: writes the text of its pull request and, if asked, pushes the branch
 * and opens it with gh or glab. Steps that fail are reported with the commands that do them by hand. Resolves to the
 * exit code.
 */
export async function prepareSessionPullRequest(opened: CommandContext, io: Io, id: SessionId): Promise<number> {
  const isWanted = opened.commandLine.wantsPullRequest;
  if (await isForEach(opened, id)) return prepareChangesetPullRequests(opened, io, id);
  const described = await describe(opened, id);
  if (described === null) return isWanted ? nothingLanded(opened) : 0;
  const remote = await findObviousRemote(opened, io);
  const forge = await openForgeOfRequest(opened, io, described.url, remote ?? 'origin');
  const request = await writePullRequestBody(opened, forge, described);
  const commands = listPullRequestCommands(forge, request, remote ?? 'origin');
  reportPullRequest(opened, request, 'prepared', commands);
  if (!isWanted) {
    const url = request.landing.pull_request;
    if (url === null) for (const command of commands) opened.output.hint(command);
    else opened.output.hint('git flame review --pr');
    return 0;
  }
  if (remote === null) throw noObviousRemoteError(request);
  return open(opened, io, { id, request, remote, commands, forge });
}

/** Once something was opened for all that lands, or for one changeset of it, the rest is shown so too. */
async function isForEach({ context }: CommandContext, id: SessionId): Promise<boolean> {
  const { landing } = (await viewSession(context, id)).session;
  if (landing === undefined || landing.pull_request !== null) return false;
  return landing.requests !== undefined || context.config.pull_requests.per === 'changeset';
}

async function describe({ context, git }: CommandContext, id: SessionId): Promise<PullRequest | null> {
  const { session, tasks, snapshot } = await viewSession(context, id);
  if (session.landing === undefined) return null;
  const text = renderSessionPullRequest({
    session,
    tasks,
    verdictOf: ({ commit }) => (commit === null ? null : (snapshot.verdictsOn(commit).at(-1) ?? null)),
    guides: await readGuidesOfLanded({ git }, { changesets: session.changesets, tasks }),
  });
  const bodyFile = join(git.repository.commonDir, 'blueflame', 'pull-requests', `${id}.md`);
  const { landing, base_branch: base } = session;
  return { ...text, base, branch: landing.branch, landing, bodyFile, url: landing.pull_request };
}

interface Opening {
  readonly id: SessionId;
  readonly request: PullRequest;
  readonly remote: string;
  readonly commands: readonly [string, string];
  readonly forge: Forge;
}

async function open(
  opened: CommandContext,
  io: Io,
  { id, request, remote, commands, forge }: Opening,
): Promise<number> {
  const { context, output } = opened;
  const { url: known, branch, landing } = request;
  const state = known === null ? 'none' : await stateOf(opened, forge, { url: known, branch });
  if (state === 'over') {
    // Opened again, it would show what is on the base branch already.
    output.info(`The ${forge.noun} was merged there, and nothing has landed since: ${known}`);
    return 0;
  }
  const isOpen = state === 'open';
  const isClosed = state === 'closed';
  // Changes that landed after a merged request go into another one.
  const shown = isOpen || isClosed ? request : { ...request, url: null };
  const keep = async (url: string): Promise<void> => {
    if (isOpen) return;
    await decideAndRecord(context, id, ({ session }) => {
      const next = { ...(session.landing ?? landing), pull_request: url, rounds: 0 };
      return { session: { next: { ...session, landing: next }, subject: `session: pull request ${url}` } };
    });
  };
  return pushAndOpenPullRequest(opened, io, { request: shown, remote, forge, commands, isClosed, keep });
}

/**
 * The state of an opened request. `over`: all there is was merged. Where that can't be asked it counts as open: the
 * next step on it fails, and reports why.
 */
async function stateOf(
  { git }: CommandContext,
  forge: Forge,
  { url, branch }: { readonly url: string; readonly branch: string },
): Promise<'open' | 'closed' | 'merged' | 'over'> {
  try {
    const { state, head } = await forge.standing(url);
    const tip = await git.resolveCommit(`refs/heads/${branch}`);
    return state === 'merged' && head === tip ? 'over' : state;
  } catch (error) {
    if (!isForgeError(error)) throw error;
    return 'open';
  }
}

function nothingLanded({ context }: CommandContext): number {
  const message = 'There is no pull request to open: nothing has landed on a landing branch (project.landing: branch).';
  context.events.emit({ event: 'notice', level: 'warning', message });
  return 1;
}
