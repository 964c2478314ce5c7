import { join } from 'node:path';
import type { SessionId } from '../../domain/ids.ts';
import type { GroupPullRequest } from '../../domain/state/changeset.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { type SessionView, viewSession } from '../../engine/record-changes.ts';
import { updateRequestBranches } from '../../engine/review/pull-request-branches.ts';
import {
  findRequestBranchesHere,
  recordMergedRequest,
  recordRequestChange,
} from '../../engine/review/pull-request-records.ts';
import { readGuidesOfLanded } from '../../engine/review/read-guide.ts';
import { fetchBranch } from '../../git/refs/remote-branch.ts';
import { renderChangesetPullRequest } from '../../ui/render/render-pull-request.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { findForgeOfAddress, openForge } from '../forge/open-forge.ts';
import { isForgeError } from '../forge/run-forge.ts';
import type { CommandContext } from '../run-context/open-run-context.ts';
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

/**
 * With `pull_requests.per: changeset`: makes a branch for the changesets of each group, and, if asked, a pull request
 * for each, into the branch that it is stacked on. A failure of one is reported, and the others go on. Resolves to the
 * exit code.
 */
export async function prepareChangesetPullRequests(opened: CommandContext, io: Io, id: SessionId): Promise<number> {
  const { context } = opened;
  const isWanted = opened.commandLine.wantsPullRequest;
  const remote = (await findObviousRemote(opened, io)) ?? (isWanted ? null : 'origin');
  const known = await viewSession(context, id);
  const closed =
    remote === null || !isWanted ? new Set<string>() : await recordMergedRequests(opened, io, { id, remote });
  const moved = await updateRequestBranches(context, id);
  for (const { message, hints } of moved) {
    context.events.emit({ event: 'notice', level: 'warning', message });
    for (const hint of hints) opened.output.hint(hint);
  }
  const { session } = await viewSession(context, id);
  const groups = (session.landing?.requests ?? []).filter(
    ({ group, merged }) => merged === null && moved.every((one) => one.group !== group),
  );
  let code = Math.min(moved.length, 1);
  for (const { group } of groups) {
    // Described again: requests before it may have got their address.
    const described = await describe(opened, id, group);
    if (described === null || closed.has(group)) continue;
    if (remote === null) throw noObviousRemoteError(described.text);
    const { tip, target, pull_request: url } = described.request;
    const forge = await openForgeOfRequest(opened, io, url, remote);
    const request = await writePullRequestBody(opened, forge, described.text);
    const commands = listPullRequestCommands(forge, request, remote);
    const before = known.session.landing?.requests?.find((one) => one.group === group);
    if (before?.tip !== tip) reportPullRequest(opened, request, 'prepared', commands);
    const keep = async (made: string): Promise<void> => {
      if (url !== null && target === request.base) return;
      await recordRequestChange(context, id, group, { target: request.base, pull_request: made });
    };
    if (isWanted) code = (await pushAndOpenPullRequest(opened, io, { request, remote, forge, commands, keep })) || code;
    else if (url === null) for (const command of commands) opened.output.hint(command);
  }
  if (!isWanted && groups.some(({ pull_request: url }) => url !== null)) opened.output.hint('git flame review --pr');
  return code;
}

interface OpenedRequestFacts {
  readonly request: GroupPullRequest;
  readonly text: ReportedPullRequest;
}

/** null: there is no such branch any more. */
async function describe(
  { context, git }: CommandContext,
  id: SessionId,
  group: string,
): Promise<OpenedRequestFacts | null> {
  const view = await viewSession(context, id);
  const { session, tasks, snapshot } = view;
  const request = session.landing?.requests?.find((one) => one.group === group);
  if (request === undefined) return null;
  const landed = session.changesets.filter((one) => request.holds.includes(one.id) && one.state === 'landed');
  const last = landed.at(-1);
  if (last === undefined) return null;
  const below = requestsBelow(view, request);
  const text = renderChangesetPullRequest(
    {
      session,
      tasks,
      verdictOf: ({ commit }) => (commit === null ? null : (snapshot.verdictsOn(commit).at(-1) ?? null)),
      guides: await readGuidesOfLanded({ git }, { changesets: landed, tasks }),
    },
    {
      landed,
      message: last.message ?? (await git.readCommit(last.commit)).message,
      on: below.map(({ pull_request: url, branch }) => url ?? branch),
    },
  );
  const bodyFile = join(git.repository.commonDir, 'blueflame', 'pull-requests', `${id}--${group}.md`);
  // A request has one base: where it stands on several, their branches are in its own, and its text names them.
  const [only, ...more] = below;
  const base = only === undefined || more.length > 0 ? session.base_branch : only.branch;
  const { branch, pull_request: url, target } = request;
  const retarget = target === null || target === base ? {} : { newBase: base };
  return { request, text: { ...text, base, branch, bodyFile, url, ...retarget } };
}

/** The unmerged requests a branch is stacked on, without those that another of them is stacked on. */
function requestsBelow({ session }: SessionView, { on }: GroupPullRequest): readonly GroupPullRequest[] {
  const open = (session.landing?.requests ?? []).filter(({ merged }) => merged === null);
  const below = open.filter(({ group }) => on.includes(group));
  return below.filter(({ group }) => !below.some((other) => other.on.includes(group)));
}

interface Where {
  readonly id: SessionId;
  readonly remote: string;
}

/**
 * Records requests that were merged on their host, by any merge method, as landed: those stacked on them follow.
 * Resolves to the groups whose request was closed there: they are neither pushed nor opened again.
 */
async function recordMergedRequests(opened: CommandContext, io: Io, where: Where): Promise<ReadonlySet<string>> {
  const { session } = await viewSession(opened.context, where.id);
  const closed = new Set<string>();
  for (const request of (await findRequestBranchesHere(opened.context, session)).own) {
    const { pull_request: url, merged } = request;
    if (url === null || merged !== null) continue;
    const forge = openForge(findForgeOfAddress(url), {
      cwd: opened.context.root,
      io,
      retry: 'git flame review --pr',
    });
    try {
      const { state, head } = await forge.standing(url);
      if (state === 'closed') {
        closed.add(request.group);
        opened.output.info(`The ${forge.noun} of ${request.group} was closed there, so it was not updated: ${url}`);
        opened.output.hint(forge.reopenLine(url));
      }
      if (state === 'merged' && (await isOnBase(opened, where, request)))
        await takeMerged(opened, io, where, { request, head, base: session.base_branch });
    } catch (error) {
      // The next step on this request fails, and reports why.
      if (!isForgeError(error)) throw error;
    }
  }
  return closed;
}

/** Whether a merged request is on the base: one that was merged into another's branch lands with that one. */
async function isOnBase({ context }: CommandContext, { id }: Where, { target }: GroupPullRequest): Promise<boolean> {
  const { session } = await viewSession(context, id);
  if (target === null || target === session.base_branch) return true;
  const into = session.landing?.requests?.find(({ branch }) => branch === target);
  return into === undefined || into.merged !== null;
}

async function takeMerged(
  { context, output, git }: CommandContext,
  io: Io,
  { id, remote }: Where,
  { request, head, base: branch }: { readonly request: GroupPullRequest; readonly head: string; readonly base: string },
): Promise<void> {
  const { group, pull_request: url } = request;
  const tip = await fetchBranch({ cwd: context.root, env: io.env }, remote, branch);
  const base = tip === null ? null : await git.resolveCommit(tip);
  if (base === null) {
    const message = `The pull request of ${group} was merged there, but ${branch} could not be fetched from ${remote}, so the changesets stacked on it stay as they are.`;
    const details = [`git fetch ${shellQuote(remote)} ${shellQuote(branch)}`, 'git flame review --pr'];
    context.events.emit({ event: 'notice', level: 'warning', message, details });
    return;
  }
  const isOver = await recordMergedRequest(context, id, { request, head, base });
  const rest = isOver ? '' : ' A new one has what landed since.';
  output.info(`The pull request of ${group} was merged there: ${url ?? ''}.${rest}`);
}
