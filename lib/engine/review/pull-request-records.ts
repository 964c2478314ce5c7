import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import { type ObjectId, parseRefName, type SessionId } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitRefs, RefUpdate } from '../../domain/ports/git-port.ts';
import { type GroupPullRequest, groupPullRequestBranch } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { decideAndRecord } from '../record-changes.ts';
import type { RunContext, WithGit } from '../run-context.ts';
import { mergeRequestBranchBelow } from './shape-landing.ts';

/** The requests of a session as they are here. */
export interface RequestBranchesHere {
  /** Requests to go on with. */
  readonly own: readonly GroupPullRequest[];
  /** Groups of them that were merged on their host, and whose branch is gone here. */
  readonly gone: ReadonlySet<string>;
  /** Requests whose branch was moved or removed by others; the rest go on. */
  readonly moved: readonly MovedRequestBranch[];
}

export interface MovedRequestBranch {
  readonly group: string;
  /** One sentence. */
  readonly message: string;
  readonly hints: readonly string[];
}

/**
 * The requests of a session as they are here. Their note may have come from elsewhere, so what is pushed is what branches
 * of these very names have here, upon which a person may have put more; and the base has only what it is seen to have.
 */
export async function findRequestBranchesHere(
  ports: Ports,
  { landing, base_branch: base }: Session,
): Promise<RequestBranchesHere> {
  const own: GroupPullRequest[] = [];
  const gone = new Set<string>();
  const moved: MovedRequestBranch[] = [];
  for (const request of landing?.requests ?? []) {
    const { branch, group, tip } = request;
    const isItsOwn = landing !== undefined && branch === groupPullRequestBranch(landing, group);
    const there = isItsOwn ? await ports.git.resolveCommit(`refs/heads/${branch}`) : null;
    const merged = isItsOwn ? await mergedInto(ports, request, base) : null;
    if (there === null && merged !== null) {
      gone.add(group);
      own.push({ ...request, tip: merged, merged });
    } else if (there !== null && (there === tip || (await ports.git.isAncestor(tip, there))))
      own.push({ ...request, tip: there, merged });
    else moved.push(asMoved(request, isItsOwn ? (there === null ? 'gone' : 'moved') : 'foreign', base));
  }
  return { own, gone, moved };
}

type Ports = WithGit<GitCommits & Pick<GitRefs, 'refsHolding'>>;

/** Commit of the merge, where the base branch has it as seen here. */
async function mergedInto(
  { git }: Ports,
  { merged }: GroupPullRequest,
  base: string,
): Promise<GroupPullRequest['merged']> {
  const holders = merged === null ? [] : await git.refsHolding(merged, 'refs/');
  const isBase = ({ ref }: { readonly ref: string }): boolean =>
    ref === `refs/heads/${base}` || (ref.startsWith('refs/remotes/') && ref.endsWith(`/${base}`));
  return holders.some(isBase) ? merged : null;
}

function asMoved(
  { group, branch, tip }: GroupPullRequest,
  what: 'gone' | 'moved' | 'foreign',
  base: string,
): MovedRequestBranch {
  if (what === 'foreign') return { group, message: notOn(branch), hints: ['git flame show', 'git flame status'] };
  const look = what === 'gone' ? [] : [`git log --oneline ${tip} --not ${shellQuote(base)}`];
  const message = what === 'gone' ? `${branch} was deleted here, so its pull request was not updated.` : notOn(branch);
  return {
    group,
    message,
    hints: [...look, `git branch -f ${shellQuote(branch)} ${tip}`, 'git flame review --pr'],
  };
}

/** Error for a branch that was moved while its next version was made. */
export function requestBranchMovedError(ref: string): FlameError {
  return refusedError('request-branch-moved', notOn(ref.replace('refs/heads/', '')), ['git flame review --pr']);
}

function notOn(branch: string): string {
  return `${branch} was moved to a commit that does not contain its earlier one, so its pull request was not updated.`;
}

/** Keeps what became of the request of one group on its host. */
export async function recordRequestChange(
  context: RunContext,
  id: SessionId,
  group: string,
  change: Partial<GroupPullRequest>,
  refs: readonly RefUpdate[] = [],
): Promise<void> {
  await decideAndRecord(context, id, ({ session }) => {
    const { landing } = session;
    if (landing?.requests === undefined) return null;
    const requests = landing.requests.map((one) => (one.group === group ? { ...one, ...change } : one));
    const what = change.merged != null ? 'merged' : 'updated';
    return {
      session: {
        next: { ...session, landing: { ...landing, requests } },
        subject: `session: pull request of ${group} ${what}`,
      },
      refs,
    };
  });
}

/**
 * Records a request as landed that was merged on its host, with head `head` and base branch at `base` now. Commits put
 * on its branch since and not merged need a new request, upon the base. Resolves to whether it is over.
 */
export async function recordMergedRequest(
  context: RunContext,
  id: SessionId,
  { request, head, base }: { readonly request: GroupPullRequest; readonly head: string; readonly base: ObjectId },
): Promise<boolean> {
  const { group, branch, tip } = request;
  const there = await context.git.resolveCommit(head);
  const hasMore = there !== null && there !== tip && (await context.git.isAncestor(there, tip));
  const upon = hasMore ? await mergeRequestBranchBelow(context, tip, { ...request, tip: there, merged: base }) : null;
  if (upon?.kind !== 'made') {
    await recordRequestChange(context, id, group, { merged: base });
    return true;
  }
  const again = { tip: upon.commit, pull_request: null, target: null, rounds: 0 };
  await recordRequestChange(context, id, group, again, [
    { ref: parseRefName(`refs/heads/${branch}`), old: tip, new: upon.commit },
  ]);
  return false;
}
