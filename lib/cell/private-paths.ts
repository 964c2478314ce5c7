import { join } from 'node:path';
import { listUntracked } from '../git/untracked-paths.ts';
import { isBlockedBy } from '../policy/judge-path.ts';
import { pathMatches } from '../util/path-globs.ts';
import type { RunnerContext } from './runner-context.ts';

/**
 * What lies beside the commits in the person's own work tree and no agent may touch, such as an `.env` with real
 * keys: absolute paths. A cell shows that work tree, where programs look for what a worktree has none of. What the
 * configuration links into worktrees is meant to be seen; of a folder that is untracked as a whole, its name counts.
 */
export async function findPrivatePaths({
  repository,
  config,
  env,
}: Pick<RunnerContext, 'repository' | 'config' | 'env'>): Promise<readonly string[]> {
  const { mainWorkTree } = repository;
  if (mainWorkTree === null) return [];
  const { link } = config.project;
  return (await listUntracked({ cwd: mainWorkTree, env }))
    .map((path) => path.replace(/\/$/, ''))
    .filter((path) => config.permissions.blocked_paths.some((glob) => isBlockedBy(glob, path)))
    .filter((path) => !link.some((glob) => pathMatches(glob, path)))
    .map((path) => join(mainWorkTree, path));
}
