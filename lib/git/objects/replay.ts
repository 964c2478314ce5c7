import type { ObjectId } from '../../domain/ids.ts';
import type { MergeResult } from '../../domain/ports/git-commits.ts';
import type { GitContext } from '../process/run-git.ts';
import { commitTree } from './commit-tree.ts';
import type { GitAccess } from './git-access.ts';
import { mergeTree } from './merge-tree.ts';

/**
 * Merges the difference between two commits onto a third, by contents alone. `git merge-tree --merge-base` came with
 * git 2.40; the same is a merge of two commits whose only ancestor has the tree of `start`. Nothing refers to these.
 */
export async function replay(
  access: GitAccess,
  context: GitContext,
  { onto, start, tip }: { readonly onto: ObjectId; readonly start: ObjectId; readonly tip: ObjectId },
): Promise<MergeResult> {
  const stand = (commit: ObjectId, parents: readonly ObjectId[]): Promise<ObjectId> =>
    commitTree(access, context, { tree: `${commit}^{tree}`, parents, message: 'Stands in for a merge\n' });
  const ancestor = await stand(start, []);
  return mergeTree(context, await stand(onto, [ancestor]), await stand(tip, [ancestor]));
}
