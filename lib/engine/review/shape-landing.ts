import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { CommitInfo, GitCommits, GitMerging } from '../../domain/ports/git-commits.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { hasWork, type Task } from '../../domain/state/task.ts';
import { withTrailers } from '../merge/changeset-message.ts';
import type { WithGit, Workshop } from '../workshop.ts';

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

type LandingPorts = Pick<Workshop, 'config' | 'events'> & WithGit<GitCommits & GitMerging>;

/** The commit that brings a changeset onto a branch, in the shape of `project.landing_style`. */
export async function shapeLanding(workshop: LandingPorts, landing: Landing): Promise<ObjectId> {
  const { changeset, tip, tree } = landing;
  const { landing_style: style } = workshop.config.project;
  const approved = await workshop.git.readCommit(changeset.commit);
  const ids = changeset.tasks.map((id) => ({ id }));
  const worded = changeset.message;
  const message = worded === undefined ? approved.message : withTrailers(worded, ids, landing.session);
  const [, ...works] = approved.parents;
  if (style === 'merge') {
    // The approved commit itself, if the branch is where it was built.
    if (changeset.parent === tip && approved.tree === tree && worded === undefined) return changeset.commit;
    return workshop.git.commitSigned({ tree, parents: [tip, ...works], message });
  }
  const line = style === 'rebase' ? await inLine(workshop, landing) : null;
  if (line?.tree === tree) return line.oid;
  // One commit for the rest that joining them took, or for all of it.
  return workshop.git.commitSigned({ tree, parents: [line?.oid ?? tip], message });
}

/** The commits of its tasks one after another; null where they conflict with each other that way, or hold nothing. */
async function inLine(
  workshop: LandingPorts,
  { changeset, tasks, tip }: Landing,
): Promise<Pick<CommitInfo, 'oid' | 'tree'> | null> {
  let last: Pick<CommitInfo, 'oid' | 'tree'> = await workshop.git.readCommit(tip);
  for (const task of tasks)
    for (const commit of await ownCommits(workshop.git, task)) {
      const [parent] = commit.parents;
      if (parent === undefined) continue;
      const merge = await workshop.git.replay(last.oid, parent, commit.oid);
      if (merge.kind === 'conflict') {
        tellAsOne(workshop, changeset, merge.paths);
        return null;
      }
      const { tree } = merge;
      if (tree === last.tree) continue;
      const { author, authored } = commit;
      const message = withTrailers(commit.message, [task], task.session);
      const oid = await workshop.git.commitSigned({ tree, parents: [last.oid], author, authored, message });
      last = { oid, tree };
    }
  return last.oid === tip ? null : last;
}

/** Lists the commits of a task's own work, oldest first, without the merges in it. */
async function ownCommits(git: GitCommits, task: Task): Promise<readonly CommitInfo[]> {
  if (!hasWork(task)) return [];
  const commits = await git.commitsBetween(task.start_commit, task.commit);
  return commits.filter(({ parents }) => parents.length === 1);
}

function tellAsOne({ events }: Pick<Workshop, 'events'>, { id }: Changeset, paths: readonly string[]): void {
  const message = `${id} lands as one commit: one after another, the commits of its tasks conflict in ${paths.slice(0, 5).join(', ')}.`;
  events.emit({ event: 'notice', level: 'info', message });
}
