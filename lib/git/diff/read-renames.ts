import type { ObjectId } from '../../domain/ids.ts';
import type { RenamedFile } from '../../domain/state/patch.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

// As many as a merge looks at.
const mostPairs = 7_000;

/** Files that git takes for renamed between two commits, by their content, in git's order. */
export async function readRenames(
  context: GitContext,
  base: ObjectId,
  tip: ObjectId,
): Promise<readonly RenamedFile[]> {
  const asNames = ['-r', '-z', '-M', `-l${mostPairs}`, '--diff-filter=R', '--name-status', '--no-ext-diff'];
  const { stdout } = await runGit(context, ['diff-tree', ...asNames, base, tip, '--']);
  const words = stdout.toString().split('\0');
  const renamed: RenamedFile[] = [];
  for (let at = 0; at + 2 < words.length; at += 3)
    renamed.push({ from: words[at + 1] ?? '', to: words[at + 2] ?? '' });
  return renamed;
}
