import type { ObjectId } from '../../domain/ids.ts';
import type { GitCommits, GitMerging, MergeResult } from '../../domain/ports/git-commits.ts';

type Replayed =
  | { readonly kind: 'replayed'; readonly commit: ObjectId; readonly tree: ObjectId }
  | Extract<MergeResult, { readonly kind: 'conflict' }>;

/**
 * Puts what a work itself changed, from its start to its commit, onto another commit: as one commit in the name and
 * with the message of the work's last. Nothing else of its history comes along.
 */
export async function replayOwn(
  git: GitCommits & GitMerging,
  { start, commit }: { readonly start: ObjectId; readonly commit: ObjectId },
  onto: ObjectId,
): Promise<Replayed> {
  const merge = await git.replay(onto, start, commit);
  if (merge.kind === 'conflict') return merge;
  const { tree } = merge;
  const { author, message } = await git.readCommit(commit);
  return {
    kind: 'replayed',
    tree,
    commit: await git.commitTree({ tree, parents: [onto], author, message }),
  };
}
