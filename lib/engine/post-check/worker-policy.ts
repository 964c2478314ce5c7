import type { AgentPolicy } from '../../domain/agent-policy.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import { type AgentId, type ObjectId, parseAgentId } from '../../domain/ids.ts';
import type { GitFiles } from '../../domain/ports/git-contents.ts';
import type { Role } from '../../domain/role.ts';
import { compilePolicy, listPathsForLiteralGlobs } from '../../policy/compile-policy.ts';
import type { WithGit } from '../run-context.ts';

interface ScopedWork {
  readonly fileLocks: readonly string[];
  /** By its files locks and allowed paths are read; null: nothing is there yet. */
  readonly start: ObjectId | null;
  /** A worker, unless said. */
  readonly role?: Role;
  /** Without one the policy is for work, not for an agent. */
  readonly agentId?: AgentId;
  readonly worktree?: string;
  /** See AgentPolicy. */
  readonly prepared?: NonNullable<AgentPolicy['prepared']>;
}

/** Policy for work with these locks that starts at a commit. */
export async function compileWorkerPolicy(
  { config, git }: { readonly config: Config } & WithGit<Pick<GitFiles, 'findPathsInCommit'>>,
  {
    fileLocks,
    start,
    role = 'worker',
    agentId = parseAgentId(`${role}-00000000`),
    worktree = '/',
    prepared = [],
  }: ScopedWork,
): Promise<AgentPolicy> {
  const places = listPathsForLiteralGlobs(config, fileLocks);
  const present = start === null || places.length === 0 ? [] : await git.findPathsInCommit(start, places);
  return compilePolicy({ config, role, agentId, worktree, fileLocks, present, prepared });
}
