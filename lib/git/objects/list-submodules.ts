import type { ObjectId } from '../../domain/ids.ts';
import { splitNames } from '../../util/file-names.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

/** Where submodules are in a commit, whether or not .gitmodules lists them. */
export async function listSubmodules(context: GitContext, commit: ObjectId): Promise<readonly string[]> {
  const { stdout } = await runGit(context, ['ls-tree', '-r', '-d', '-z', '--full-tree', commit]);
  return splitNames(stdout)
    .filter((row) => row.startsWith('160000 '))
    .map((row) => row.slice(row.indexOf('\t') + 1));
}
