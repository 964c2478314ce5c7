import { landingBranchName } from '../../domain/config/config-schema.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { CommitInfo, GitCommits, GitMerging } from '../../domain/ports/git-commits.ts';
import type { Changeset, GroupPullRequest } from '../../domain/state/changeset.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { hasAcceptedWork, type Task } from '../../domain/state/task-schema.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { addMessageTrailers } from '../merge/changeset-message.ts';
import { inform, type RunContext, type WithGit } from '../run-context.ts';

interface Landing {
  readonly session: SessionId;
  readonly changeset: Changeset;
  /** In the order in which they were merged. */
  readonly tasks: readonly Task[];
  /** Tip of the branch. */
  readonly tip: ObjectId;
  /** Tree of the branch afterwards. */
  readonly tree: ObjectId;
}

type LandingPorts = Pick<RunContext, 'config' | 'events'> & WithGit<GitCommits & GitMerging>;

/** The commit that brings a changeset onto a branch, in the shape of `project.landing_style`. */
export async function makeLandingCommit(context: LandingPorts, landing: Landing): Promise<ObjectId> {
  const { changeset, tip, tree } = landing;
  const { landing_style: style } = context.config.project;
  const approved = await context.git.readCommit(changeset.commit);
  const message = messageOf(landing, approved);
  const [, ...works] = approved.parents;
  if (style === 'merge') {
    // The approved commit itself, if the branch is where it was built.
    if (changeset.parent === tip && approved.tree === tree && changeset.message === undefined) return changeset.commit;
    return context.git.writeSignedCommit({ tree, parents: [tip, ...works], message });
  }
  const line = style === 'rebase' ? await inLine(context, landing) : null;
  if (line?.tree === tree) return line.oid;
  // One commit for the rest that joining them took, or for all of it.
  return context.git.writeSignedCommit({ tree, parents: [line?.oid ?? tip], message });
}

/** The message its person wrote, else that of the commit they approved. */
function messageOf({ changeset, session }: Pick<Landing, 'changeset' | 'session'>, approved: CommitInfo): string {
  const { message, tasks } = changeset;
  if (message === undefined) return approved.message;
  return addMessageTrailers(
    message,
    tasks.map((id) => ({ id })),
    session,
  );
}

/** The commits of its tasks one after another; null where they conflict with each other that way, or hold nothing. */
async function inLine(
  context: LandingPorts,
  { changeset, tasks, tip }: Landing,
): Promise<Pick<CommitInfo, 'oid' | 'tree'> | null> {
  let last: Pick<CommitInfo, 'oid' | 'tree'> = await context.git.readCommit(tip);
  for (const task of tasks)
    for (const commit of await ownCommits(context.git, task)) {
      const [parent] = commit.parents;
      if (parent === undefined) continue;
      const merge = await context.git.mergeDifferenceOnto(last.oid, parent, commit.oid);
      if (merge.kind === 'conflict') {
        reportSquashed(context, changeset, merge.paths);
        return null;
      }
      const { tree } = merge;
      if (tree === last.tree) continue;
      const { author, authored } = commit;
      const message = addMessageTrailers(commit.message, [task], task.session);
      const oid = await context.git.writeSignedCommit({
        tree,
        parents: [last.oid],
        author,
        authored,
        message,
      });
      last = { oid, tree };
    }
  return last.oid === tip ? null : last;
}

/** Lists the commits of a task's own work, oldest first, without the merges in it. */
async function ownCommits(git: GitCommits, task: Task): Promise<readonly CommitInfo[]> {
  if (!hasAcceptedWork(task)) return [];
  const commits = await git.commitsBetween(task.start_commit, task.commit);
  return commits.filter(({ parents }) => parents.length === 1);
}

function reportSquashed({ events }: Pick<RunContext, 'events'>, { id }: Changeset, paths: readonly string[]): void {
  const message = `${id} lands as one commit, because the commits of its tasks conflict when applied one after another, in ${paths.slice(0, 5).join(', ')}.`;
  inform({ events }, message);
}

/**
 * The session with the branch its approved work lands on: what it landed on before, else what the configuration
 * says now. Once something has landed on a branch of its own, the rest does too.
 */
export function withLandingBranch({ config }: Pick<RunContext, 'config'>, session: Session): Session {
  if (session.landing !== undefined || config.project.landing === 'base') return session;
  const branch = landingBranchName(config, session.id);
  return { ...session, landing: { branch, from: session.base_commit, pull_request: null } };
}

/** Entry of a session's note about its landing branch; empty before there is one. */
export function pickLandingEntry({ landing }: Session): Pick<Session, 'landing'> {
  return landing === undefined ? {} : { landing };
}

/**
 * A branch that already exists may hold other work: it is not moved. Throws FlameError
 * `landing-branch-exists`.
 */
export async function requireFreeLandingBranch(
  context: WithGit<GitCommits>,
  session: Session,
  destined: Session,
): Promise<void> {
  const branch = findLandingBranch(destined);
  if (branch === findLandingBranch(session)) return;
  if ((await context.git.resolveCommit(`refs/heads/${branch}`)) === null) return;
  throw landingBranchExistsError(branch);
}

/** Error for a new landing branch whose name exists already: it may hold other work. */
export function landingBranchExistsError(branch: string): FlameError {
  return refusedError(
    'landing-branch-exists',
    `The work of this session should land on a new branch ${branch}, but a branch of that name exists.`,
    [
      `git branch -m ${shellQuote(branch)} ${shellQuote(`${branch}-old`)}`,
      'Or set project.landing_branch in .blueflame.yml, then: git flame review',
    ],
  );
}

type Made =
  | { readonly kind: 'made'; readonly commit: ObjectId }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

type Shown = Pick<Landing, 'session' | 'changeset' | 'tasks'>;

type RequestPorts = Pick<RunContext, 'config' | 'events' | 'git'>;

/** Commits the approved change of a changeset, and nothing else, upon its branch; if that was merged, upon the base. */
export async function commitOntoRequestBranch(
  git: RequestPorts,
  shown: Shown,
  request: GroupPullRequest,
): Promise<Made> {
  const { changeset, tasks, session } = shown;
  const { parent, commit } = changeset;
  const onto = request.merged ?? request.tip;
  const approved = await git.git.readCommit(commit);
  const merge =
    parent === onto
      ? { kind: 'clean' as const, tree: approved.tree }
      : await git.git.mergeDifferenceOnto(onto, parent, commit);
  if (merge.kind === 'conflict') return { kind: 'conflict', paths: merge.paths };
  const { tree } = merge;
  if (request.merged === null && (await isOwn(git, onto, shown)))
    return {
      kind: 'made',
      commit: await makeLandingCommit(git, { session, changeset, tasks, tip: onto, tree }),
    };
  const message = messageOf(shown, approved);
  const parents = request.merged === null ? [onto] : [request.tip, request.merged];
  return { kind: 'made', commit: await git.git.writeSignedCommit({ tree, parents, message }) };
}

/**
 * Whether the commits of its tasks bring nothing along that isn't on the branch: history that others landed, without
 * their files, would take that away again where both are merged.
 */
async function isOwn({ config, git }: RequestPorts, onto: ObjectId, { tasks }: Shown): Promise<boolean> {
  if (config.project.landing_style !== 'merge') return true;
  for (const { start_commit: start } of tasks) if (start === null || !(await git.isAncestor(start, onto))) return false;
  return true;
}

/** Joins the branches that a new one stands on. */
export async function joinRequestBranchesBelow(
  git: RequestPorts,
  from: ObjectId,
  requestsBelow: readonly GroupPullRequest[],
): Promise<Made> {
  let tip = from;
  for (const below of requestsBelow) {
    const followed = await mergeRequestBranchBelow(git, tip, below);
    if (followed.kind === 'conflict') return followed;
    tip = followed.commit;
  }
  return { kind: 'made', commit: tip };
}

/**
 * A branch with what came to one that it stands on. Where that was merged on its host, by squash too, what it was is
 * taken for what the base branch has of it.
 */
export async function mergeRequestBranchBelow(
  { git }: RequestPorts,
  tip: ObjectId,
  below: GroupPullRequest,
): Promise<Made> {
  const to = below.merged ?? below.tip;
  if (await git.isAncestor(to, tip)) return { kind: 'made', commit: tip };
  if (await git.isAncestor(tip, to)) return { kind: 'made', commit: to };
  const isUpon = below.merged !== null && (await git.isAncestor(below.tip, tip));
  const merge = isUpon ? await git.mergeDifferenceOnto(to, below.tip, tip) : await git.mergeTree(tip, to);
  if (merge.kind === 'conflict') return merge;
  const message = `Merge ${below.merged === null ? below.branch : `the base branch, which has ${below.branch}`}\n`;
  return {
    kind: 'made',
    commit: await git.writeSignedCommit({ tree: merge.tree, parents: [tip, to], message }),
  };
}
