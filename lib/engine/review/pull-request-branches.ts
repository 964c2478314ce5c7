import {
  isGroupBuiltOnGroup,
  type PullRequestChangeset,
  sortByPullRequestOrder,
} from '../../core/changesets/changesets-to-show.ts';
import { parseRefName, type SessionId } from '../../domain/ids.ts';
import type { RefUpdate } from '../../domain/ports/git-port.ts';
import { type GroupPullRequest, groupPullRequestBranch } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { decideAndRecord, requireTaskInView, type SessionView, viewSession } from '../record-changes.ts';
import { type RunContext, warn } from '../run-context.ts';
import { findRequestBranchesHere, type MovedRequestBranch, requestBranchMovedError } from './pull-request-records.ts';
import {
  commitOntoRequestBranch,
  joinRequestBranchesBelow,
  landingBranchExistsError,
  mergeRequestBranchBelow,
} from './shape-landing.ts';

type Requests = readonly GroupPullRequest[];

/**
 * Updates the branches of the pull requests of single groups to what has landed: each has its own changesets alone,
 * upon the branches of those it needs, and only grows. All of them move at once, with the session's note. Changesets
 * that don't fit on their branch are reported, and left for the next time; so are branches moved by others, which it
 * resolves to. Throws FlameErrors `landing-branch-exists` and `request-branch-moved`.
 */
export async function updateRequestBranches(
  context: RunContext,
  id: SessionId,
): Promise<readonly MovedRequestBranch[]> {
  const view = await viewSession(context, id);
  const { landing } = view.session;
  if (landing === undefined) return [];
  const known = landing.requests ?? [];
  const { own, gone, moved } = await findRequestBranchesHere(context, view.session);
  let requests: Requests = own;
  const here = requests.filter(({ group }) => !gone.has(group));
  const tips = new Map(here.map(({ branch, tip }) => [branch, tip]));
  const stuck = new Set(moved.map(({ group }) => group));
  for (const shown of sortByPullRequestOrder(view.session.changesets, view.tasks)) {
    const { group } = shown;
    const isBegun = requests.some((one) => one.group === group);
    // Without what it would stand on it has nowhere to begin.
    if (!isBegun && shown.on.some((below) => moved.some((one) => one.group === below))) stuck.add(group);
    if (stuck.has(group)) continue;
    const next = await withChangeset(context, view, requests, shown);
    if (next === null) stuck.add(shown.group);
    else requests = next;
  }
  for (const { group } of requests) requests = await withChangesBelow(context, requests, group);
  const refs = requests
    .filter(({ group, branch, tip, merged }) => !(gone.has(group) && merged === tip) && tips.get(branch) !== tip)
    .map(({ branch, tip }): RefUpdate => {
      const ref = parseRefName(`refs/heads/${branch}`);
      return { ref, old: tips.get(branch) ?? null, new: tip };
    });
  const all = [
    ...known.map((before) => requests.find(({ group }) => group === before.group) ?? before),
    ...requests.filter(({ group }) => known.every((before) => before.group !== group)),
  ];
  if (refs.length === 0 && JSON.stringify(all) === JSON.stringify(known)) return moved;
  const result = await decideAndRecord(context, id, ({ session }) =>
    session.landing === undefined
      ? null
      : {
          session: {
            next: { ...session, landing: { ...session.landing, requests: all } },
            subject: 'session: branches of its pull requests',
          },
          refs,
        },
  );
  if (result.kind === 'ref-moved') throw requestBranchMovedError(result.ref);
  return moved;
}

/** null: it doesn't fit on its branch. */
async function withChangeset(
  context: RunContext,
  view: SessionView,
  all: Requests,
  shown: PullRequestChangeset,
): Promise<Requests | null> {
  const { changeset, group } = shown;
  if (all.some(({ holds }) => holds.includes(changeset.id))) return all;
  const needed = (requests: Requests, on: readonly string[]): Promise<Requests | null> =>
    stoodOn(context, view.session, requests, { group, on });
  const begun = await needed(all, shown.on);
  if (begun === null) return null;
  let requests = begun;
  const tasks = changeset.tasks.map((task) => requireTaskInView(view, task));
  const job = { session: view.session.id, changeset, tasks };
  const baseRequest = async (): Promise<GroupPullRequest> => uponNewest(context, requests, requireOf(requests, group));
  let built = await commitOntoRequestBranch(context, job, await baseRequest());
  if (built.kind === 'conflict') {
    // If it changes lines of others that landed before it, it stands on those.
    const below = await changersOf(context, view, requests, { group, paths: built.paths });
    requests = below.length === 0 ? requests : ((await needed(requests, below)) ?? requests);
    built = await commitOntoRequestBranch(context, job, await baseRequest());
  }
  if (built.kind === 'conflict') {
    reportStuckRequest(context, changeset.id, requireOf(requests, group).branch, built.paths);
    return null;
  }
  const { commit } = built;
  return replaced(requests, group, (request) => ({
    ...request,
    ...(request.merged === null ? {} : { merged: null, pull_request: null, target: null, rounds: 0 }),
    tip: commit,
    holds: [...request.holds, changeset.id],
  }));
}

/** Puts a merged request upon the base branch as it was seen last, with other merged requests. */
async function uponNewest(
  { git }: RunContext,
  requests: Requests,
  request: GroupPullRequest,
): Promise<GroupPullRequest> {
  let { merged: newest } = request;
  if (newest === null) return request;
  for (const { merged } of requests) if (merged !== null && (await git.isAncestor(newest, merged))) newest = merged;
  return { ...request, merged: newest };
}

/** With the group's branch, made where there is none, standing on these groups. */
async function stoodOn(
  context: RunContext,
  session: Session,
  requests: Requests,
  { group, on }: { readonly group: string; readonly on: readonly string[] },
): Promise<Requests | null> {
  const known = requests.find((one) => one.group === group);
  const below = on.filter(
    (one) => requests.some((request) => request.group === one) && !isGroupBuiltOnGroup(requests, one, group),
  );
  if (known !== undefined) {
    const next = replaced(requests, group, (one) => ({ ...one, on: [...new Set([...one.on, ...below])] }));
    return withChangesBelow(context, next, group);
  }
  const { landing } = session;
  if (landing === undefined) return null;
  const branch = groupPullRequestBranch(landing, group);
  if ((await context.git.resolveCommit(`refs/heads/${branch}`)) !== null) throw landingBranchExistsError(branch);
  const requestsBelow = requests.filter((one) => below.includes(one.group));
  const joined = await joinRequestBranchesBelow(context, landing.from, requestsBelow);
  if (joined.kind === 'conflict') {
    reportStuckRequest(context, group, branch, joined.paths);
    return null;
  }
  const fresh = { group, branch, tip: joined.commit, on: below, holds: [] };
  return [...requests, { ...fresh, pull_request: null, target: null, rounds: 0, merged: null }];
}

/** With what came to the branches it stands on since. */
async function withChangesBelow(context: RunContext, requests: Requests, group: string): Promise<Requests> {
  const own = requireOf(requests, group);
  if (own.merged !== null) return requests;
  let { tip } = own;
  for (const below of requests.filter((one) => own.on.includes(one.group))) {
    const followed = await mergeRequestBranchBelow(context, tip, below);
    if (followed.kind === 'conflict') reportStuckRequest(context, below.group, own.branch, followed.paths);
    else tip = followed.commit;
  }
  return tip === own.tip ? requests : replaced(requests, group, (one) => ({ ...one, tip }));
}

/** The groups that changed one of these files, and can be stood on. */
async function changersOf(
  { git }: RunContext,
  { session }: SessionView,
  requests: Requests,
  { group, paths }: { readonly group: string; readonly paths: readonly string[] },
): Promise<readonly string[]> {
  const changers: string[] = [];
  for (const one of requests.filter((other) => other.group !== group))
    for (const { parent, commit } of session.changesets.filter(({ id }) => one.holds.includes(id))) {
      const changes = await git.treeChanges(parent, commit);
      if (changes.some(({ path }) => paths.includes(path))) changers.push(one.group);
    }
  return [...new Set(changers)].filter((one) => !isGroupBuiltOnGroup(requests, one, group));
}

function replaced(
  requests: Requests,
  group: string,
  change: (request: GroupPullRequest) => GroupPullRequest,
): Requests {
  return requests.map((one) => (one.group === group ? change(one) : one));
}

function requireOf(requests: Requests, group: string): GroupPullRequest {
  const found = requests.find((one) => one.group === group);
  if (found === undefined) throw new Error(`no branch of group ${group}`);
  return found;
}

function reportStuckRequest(
  { events }: Pick<RunContext, 'events'>,
  what: string,
  branch: string,
  paths: readonly string[],
): void {
  const message = `${what} is not in ${branch} yet: without the other landed work it conflicts in ${paths.slice(0, 5).join(', ')}.`;
  warn({ events }, message, ['It has landed here. It is tried again once the pull requests below it are merged.']);
}
