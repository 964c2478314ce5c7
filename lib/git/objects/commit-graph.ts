import { parseObjectId } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import { type GitContext, gitText, runGit } from '../process/run-git.ts';

/** What git knows of how commits descend from each other. */
export function commitGraph(
  objects: GitContext,
): Pick<GitCommits, 'isAncestor' | 'independent' | 'mergeBase'> {
  return {
    isAncestor: async (ancestor, descendant) => {
      const args = ['merge-base', '--is-ancestor', ancestor, descendant];
      return (await runGit(objects, args, { accept: [0, 1] })).exitCode === 0;
    },
    independent: async (commits) => {
      if (commits.length < 2) return commits;
      const kept = (await gitText(objects, ['merge-base', '--independent', ...commits])).split('\n');
      return [...new Set(commits)].filter((commit) => kept.includes(commit));
    },
    mergeBase: async (one, other) => {
      const { exitCode, stdout } = await runGit(objects, ['merge-base', one, other], { accept: [0, 1] });
      return exitCode === 0 ? parseObjectId(stdout.toString().trim()) : null;
    },
  };
}
