import type { ObjectId } from '../domain/ids.ts';
import type { GitDiffs, GitFiles } from '../domain/ports/git-contents.ts';
import { hasWildcard } from '../util/path-globs.ts';
import { lockParts } from '../util/path-patterns.ts';
import type { WithGit, Workshop } from './workshop.ts';

type Sparse = Pick<Workshop, 'config' | 'root'> & WithGit<GitFiles>;

/**
 * Patterns of .gitignore's form for the files of a commit in a worktree: those the person's own checkout is limited to,
 * or `project.sparse`, and those these locks need. null: all files.
 */
export async function sparsePatterns(
  { config, root, git }: Sparse,
  locks: readonly string[],
): Promise<readonly string[] | null> {
  const { sparse } = config.project;
  const own = sparse === null ? await git.sparsePatterns(root) : ['/*', '!/*/', ...sparse.map(patternOf)];
  return own === null ? null : [...own, ...locks.flatMap(lockParts).map(patternOf)];
}

/** Patterns for a commit that is looked at, with its changes since `base`; null there: no agent's changes. */
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
