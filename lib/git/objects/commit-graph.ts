import { parseObjectId } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import { type GitContext, gitText, runGit } from '../process/run-git.ts';

/** How commits descend from each other, by git. */
export function commitGraph(
  objects: GitContext,
): Pick<GitCommits, 'isAncestor' | 'independent' | 'mergeBase'> {
  return {
    isAncestor: async (ancestor, descendant) => {
      if (ancestor === descendant) return true;
      const args = ['merge-base', '--is-ancestor', ancestor, descendant];
      return (await runGit(objects, args, { accept: [0, 1] })).exitCode === 0;
    },
    independent: async (commits) => {
      const all = [...new Set(commits)];
      if (all.length < 2) return all;
      const kept = (await gitText(objects, ['merge-base', '--independent', ...all])).split('\n');
      return all.filter((commit) => kept.includes(commit));
    },
    mergeBase: async (one, other) => {
      const { exitCode, stdout } = await runGit(objects, ['merge-base', one, other], { accept: [0, 1] });
      return exitCode === 0 ? parseObjectId(stdout.toString().trim()) : null;
    },
  };
}
