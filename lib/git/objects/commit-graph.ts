import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import { type GitContext, gitText, runGit } from '../process/run-git.ts';
import { onlyMergeBase } from './only-merge-base.ts';
import type { ReadLinks } from './read-links.ts';

// Each is compared with each other one: of more git knows sooner.
const mostCompared = 12;

/** How commits descend from each other: read here where they are near, and asked of git where they are not. */
export function commitGraph(
  objects: GitContext,
  readLinks: ReadLinks,
): Pick<GitCommits, 'isAncestor' | 'independent' | 'mergeBase'> {
  const nearBase = (one: ObjectId, other: ObjectId): Promise<ObjectId | null> =>
    onlyMergeBase(readLinks, one, other);
  return {
    isAncestor: async (ancestor, descendant) => {
      const base = await nearBase(ancestor, descendant);
      if (base !== null) return base === ancestor;
      const args = ['merge-base', '--is-ancestor', ancestor, descendant];
      return (await runGit(objects, args, { accept: [0, 1] })).exitCode === 0;
    },
    independent: async (commits) => {
      const all = [...new Set(commits)];
      if (all.length < 2) return all;
      const near = all.length > mostCompared ? null : await nearIndependent(all, nearBase);
      if (near !== null) return near;
      const kept = (await gitText(objects, ['merge-base', '--independent', ...all])).split('\n');
      return all.filter((commit) => kept.includes(commit));
    },
    mergeBase: async (one, other) => {
      const base = await nearBase(one, other);
      if (base !== null) return base;
      const { exitCode, stdout } = await runGit(objects, ['merge-base', one, other], { accept: [0, 1] });
      return exitCode === 0 ? parseObjectId(stdout.toString().trim()) : null;
    },
  };
}

/** Those that no other one descends from; null where some pair is too far apart to tell. */
async function nearIndependent(
  commits: readonly ObjectId[],
  nearBase: (one: ObjectId, other: ObjectId) => Promise<ObjectId | null>,
): Promise<readonly ObjectId[] | null> {
  const reached = new Set<ObjectId>();
  for (const [at, one] of commits.entries()) {
    for (const other of commits.slice(at + 1)) {
      if (reached.has(one)) break;
      if (reached.has(other)) continue;
      const base = await nearBase(one, other);
      if (base === null) return null;
      if (base === one || base === other) reached.add(base);
    }
  }
  return commits.filter((commit) => !reached.has(commit));
}
