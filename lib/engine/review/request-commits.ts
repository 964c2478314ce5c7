import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { Changeset, ChangesetRequest } from '../../domain/state/changeset.ts';
import type { Task } from '../../domain/state/task.ts';
import { withTrailers } from '../merge/changeset-message.ts';
import type { Workshop } from '../workshop.ts';
import { shapeLanding } from './shape-landing.ts';

type Made =
  | { readonly kind: 'made'; readonly commit: ObjectId }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

interface Shown {
  readonly session: SessionId;
  readonly changeset: Changeset;
  readonly tasks: readonly Task[];
}

type RequestPorts = Pick<Workshop, 'config' | 'events' | 'git'>;

/** Commits the approved change of a changeset, and nothing else, upon its branch; if that was merged, upon the base. */
export async function branchCommit(
  git: RequestPorts,
  shown: Shown,
  request: ChangesetRequest,
): Promise<Made> {
  const { changeset, tasks, session } = shown;
  const { parent, commit } = changeset;
  const onto = request.merged ?? request.tip;
  const approved = await git.git.readCommit(commit);
  const merge =
    parent === onto
      ? { kind: 'clean' as const, tree: approved.tree }
      : await git.git.replay(onto, parent, commit);
  if (merge.kind === 'conflict') return { kind: 'conflict', paths: merge.paths };
  const { tree } = merge;
  if (request.merged === null && (await isOwn(git, onto, shown)))
    return { kind: 'made', commit: await shapeLanding(git, { session, changeset, tasks, tip: onto, tree }) };
  const message =
    changeset.message === undefined
      ? approved.message
      : withTrailers(
          changeset.message,
          changeset.tasks.map((id) => ({ id })),
          session,
        );
  const parents = request.merged === null ? [onto] : [request.tip, request.merged];
  return { kind: 'made', commit: await git.git.commitSigned({ tree, parents, message }) };
}

/**
 * Whether the commits of its tasks bring nothing along that isn't on the branch: history that others landed, without
 * their files, would take that away again where both are merged.
 */
async function isOwn({ config, git }: RequestPorts, onto: ObjectId, { tasks }: Shown): Promise<boolean> {
  if (config.project.landing_style !== 'merge') return true;
  for (const { start_commit: start } of tasks)
    if (start === null || !(await git.isAncestor(start, onto))) return false;
  return true;
}

/** Joins the branches that a new one stands on. */
export async function joinGround(
  git: RequestPorts,
  from: ObjectId,
  grounds: readonly ChangesetRequest[],
): Promise<Made> {
  let tip = from;
  for (const below of grounds) {
    const followed = await followBelow(git, tip, below);
    if (followed.kind === 'conflict') return followed;
    tip = followed.commit;
  }
  return { kind: 'made', commit: tip };
}

/**
 * A branch with what came to one that it stands on. Where that was merged on its host, by squash too, what it was is
 * taken for what the base branch has of it.
 */
export async function followBelow(
  { git }: RequestPorts,
  tip: ObjectId,
  below: ChangesetRequest,
): Promise<Made> {
  const to = below.merged ?? below.tip;
  if (await git.isAncestor(to, tip)) return { kind: 'made', commit: tip };
  if (await git.isAncestor(tip, to)) return { kind: 'made', commit: to };
  const isUpon = below.merged !== null && (await git.isAncestor(below.tip, tip));
  const merge = isUpon ? await git.replay(to, below.tip, tip) : await git.mergeTree(tip, to);
  if (merge.kind === 'conflict') return merge;
  const message = `Bring in ${below.merged === null ? below.branch : `the base branch, which has ${below.branch}`}\n`;
  return {
    kind: 'made',
    commit: await git.commitSigned({ tree: merge.tree, parents: [tip, to], message }),
  };
}
