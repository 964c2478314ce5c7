import { parseRefName, parseTaskId, type SessionId } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitWorktrees } from '../../domain/ports/git-port.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import { type ChangesetRequest, requestBranch } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session.ts';
import type { WithGit } from '../workshop.ts';
import type { Stale } from './stale.ts';

type Git = WithGit<GitCommits & GitWorktrees>;

/**
 * Lists branches of pull requests of single groups whose session ended, except those whose request is open. A branch
 * merged there as another commit is kept as a rescue, since only the session's note reports that.
 */
export async function staleRequests({ git }: Git, { sessions }: Snapshot): Promise<readonly Stale[]> {
  const checkedOut = new Set((await git.worktrees()).map(({ branch }) => branch));
  const ended = sessions.filter(({ state }) => state === 'ended');
  const found = ended.flatMap((session) =>
    (session.landing?.requests ?? []).map((request) => judge(git, session, request)),
  );
  return (await Promise.all(found)).filter(
    (stale): stale is StaleBranch => stale !== null && !checkedOut.has(shortName(stale)),
  );
}

type StaleBranch = Extract<Stale, { kind: 'branch' | 'changeset' }>;

function shortName({ ref }: StaleBranch): string {
  return ref.ref.slice('refs/heads/'.length);
}

async function judge(
  git: Git['git'],
  { id, landing, base_branch: base }: Session,
  { group, branch, tip, merged, pull_request: url }: ChangesetRequest,
): Promise<StaleBranch | null> {
  if (landing === undefined || branch !== requestBranch(landing, group)) return null;
  const commit = await git.resolveCommit(`refs/heads/${branch}`);
  const onBase = await git.resolveCommit(`refs/heads/${base}`);
  if (commit === null || onBase === null || (merged === null && url !== null)) return null;
  const isMerged = await git.isAncestor(commit, onBase);
  const isMergedThere = merged !== null && commit === tip;
  const why = isMerged
    ? `merged into ${base}`
    : isMergedThere
      ? 'its pull request was merged'
      : `not merged, of ${id}`;
  const ref = parseRefName(`refs/heads/${branch}`);
  return {
    kind: 'branch',
    ref: { ref, commit },
    subject: subjectOf(id, group),
    isMerged,
    name: ref,
    why,
    needsForce: !isMerged && !isMergedThere,
  };
}

/** Session and task it is kept under: a group's name has the form of a task's. */
function subjectOf(session: SessionId, group: string): StaleBranch['subject'] {
  return { session, task: parseTaskId(group) };
}
