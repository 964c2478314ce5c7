import type { ObjectId } from '../domain/ids.ts';
import type { GitDiffs, GitFiles } from '../domain/ports/git-contents.ts';
import { hasWildcard } from '../util/path-globs.ts';
import { lockParts } from '../util/path-patterns.ts';
import type { WithGit, Workshop } from './workshop.ts';

type Sparse = Pick<Workshop, 'config' | 'root'> & WithGit<GitFiles>;

/**
 * What of a commit a worktree holds, as patterns of .gitignore's form: what the person's own checkout is limited to, or
 * `project.sparse`, and what these locks need. null: all of it.
 */
export async function sparsePatterns(
  { config, root, git }: Sparse,
  locks: readonly string[],
): Promise<readonly string[] | null> {
  const { sparse } = config.project;
  const own = sparse === null ? await git.sparsePatterns(root) : ['/*', '!/*/', ...sparse.map(patternOf)];
  return own === null ? null : [...own, ...locks.flatMap(lockParts).map(patternOf)];
}

/** The same of a commit that is looked at: what differs from `base` is in it; null: nothing that agents wrote. */
export async function sparseOfWork(
  workshop: Sparse & WithGit<GitDiffs>,
  base: ObjectId | null,
  commit: ObjectId,
): Promise<readonly string[] | null> {
  const patterns = await sparsePatterns(workshop, []);
  if (patterns === null || base === null || base === commit) return patterns;
  const changes = await workshop.git.treeChanges(base, commit);
  return [...patterns, ...changes.map(({ path }) => literal(path))];
}

function patternOf(lock: string): string {
  return hasWildcard(lock) ? `/${lock}` : literal(lock);
}

function literal(path: string): string {
  return `/${path.replace(/[\\*?[\]!# ]/g, '\\$&')}`;
}
