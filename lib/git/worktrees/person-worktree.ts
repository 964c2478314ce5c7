import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ObjectId } from '../../domain/ids.ts';
import { killPoint } from '../../util/kill-point.ts';
import { withCellLock } from '../cells/lock.ts';
import { type GitAccess, inWorkTree } from '../objects/git-access.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

/**
 * Makes a plain worktree for a person with a branch checked out in it. The branch is made at `start`, or moved there
 * where `isReset`; else it is taken as it stands. One at a time, and with no tracking: several at once fail on git's
 * own configuration lock.
 */
export async function addPersonWorktree(
  access: GitAccess,
  path: string,
  {
    branch,
    start,
    mode,
  }: { readonly branch: string; readonly start: ObjectId; readonly mode: 'new' | 'reset' | 'as-is' },
): Promise<void> {
  const { commonDir } = access.repository;
  const where =
    mode === 'as-is' ? [path, branch] : ['--no-track', mode === 'new' ? '-b' : '-B', branch, path, start];
  killPoint('person worktree to make');
  await withCellLock(commonDir, async () => {
    mkdirSync(dirname(path), { recursive: true });
    await runGit(inCommonDir(access), ['worktree', 'add', '--quiet', ...where]);
  });
  killPoint('person worktree made');
}

/** Takes a worktree off its branch, files and index as they are: the branch may move without it. */
export async function detachWorktree(access: GitAccess, path: string): Promise<void> {
  await runGit(inWorkTree(access, path), ['checkout', '--quiet', '--detach']);
}

/** Removes a worktree without local changes; ignored files go with it. False: it has some, and stays. */
export async function removePersonWorktree(access: GitAccess, path: string): Promise<boolean> {
  killPoint('person worktree to remove');
  const { exitCode } = await runGit(inCommonDir(access), ['worktree', 'remove', path], { accept: [0, 128] });
  killPoint('person worktree removed');
  return exitCode === 0;
}

/** Not the context for objects alone: its index would become that of the new worktree. */
function inCommonDir({ context, repository: { commonDir } }: GitAccess): GitContext {
  return { cwd: commonDir, env: context.env, variables: { GIT_DIR: commonDir } };
}
