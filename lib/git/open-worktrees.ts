import type { ObjectId } from '../domain/ids.ts';
import type { GitWorktrees } from '../domain/ports/git-port.ts';
import type { GitTryWorktrees } from '../domain/ports/git-try-worktrees.ts';
import { killPoint } from '../util/kill-point.ts';
import { type GitAccess, gitInWorkTree, withVariables } from './objects/git-access.ts';
import { buildCleanGitEnvironment } from './process/limit-git-runs.ts';
import type { GitContext } from './process/run-git.ts';
import { readHead } from './refs/resolve-commit.ts';
import { listWorktreesWherePlaced, readBranchUses } from './worktrees/branch-uses.ts';
import { listUntrackedFilesInTheWay } from './worktrees/filtered-and-untracked.ts';
import {
  addPersonWorktree,
  advanceWorktree,
  detachWorktree,
  findAdvanceObstacles,
  removePersonWorktree,
} from './worktrees/person-worktree.ts';
import {
  findOwnWorkInTry,
  readTryWorktrees,
  removeTryWorktree,
  turnIntoTryWorktree,
} from './worktrees/try-worktree.ts';

export function openGitWorktreesPort(access: GitAccess): GitWorktrees & GitTryWorktrees {
  const changedTracked = async (workTree: string, variables?: GitContext['variables']) =>
    readChangedTracked(await seeing(access, workTree, variables));
  return {
    head: (workTree) => readHead(gitInWorkTree(access, workTree)),
    worktrees: () => listWorktreesWherePlaced(access),
    branchUses: (branch) => readBranchUses(access, branch),
    dirtyPaths: async (workTree) => readDirtyPaths(await seeing(access, workTree)),
    changedTracked,
    filesInTheWay: (workTree, from, to) => listUntrackedFilesInTheWay(gitInWorkTree(access, workTree), from, to),
    advanceObstacles: async (workTree, from, to) => {
      const own = gitInWorkTree(access, workTree);
      return findAdvanceObstacles(own, withVariables(own, await access.inertDrivers()), { from, to });
    },
    advanceWorktree: (workTree, from, to) => syncWorktree(access, workTree, { from, to }),
    addPersonWorktree: (path, init) => addPersonWorktree(access, path, init),
    detachWorktree: (path) => detachWorktree(access, path),
    removePersonWorktree: (path) => removePersonWorktree(access, path),
    tryWorktrees: async () => readTryWorktrees(access.repository.commonDir),
    turnIntoTryWorktree: (cell, subject) => turnIntoTryWorktree(access, cell, subject),
    findOwnWorkInTry: (tried) => findOwnWorkInTry(access, tried, changedTracked),
    removeTryWorktree: (tried) => removeTryWorktree(access, tried),
  };
}

async function syncWorktree(
  access: GitAccess,
  workTree: string,
  move: { readonly from: ObjectId; readonly to: ObjectId },
): ReturnType<GitWorktrees['advanceWorktree']> {
  killPoint('work tree to bring along');
  const inertDrivers = await access.inertDrivers();
  const { commonDir } = access.repository;
  const outcome = await advanceWorktree(gitInWorkTree(access, workTree), {
    ...move,
    inertDrivers,
    commonDir,
  });
  killPoint('work tree brought along');
  return outcome;
}

/**
 * git that sees what changed in the person's work tree: without their filters, which could be made to run what
 * an agent wrote, unless files look changed only for the want of them.
 */
async function seeing(
  access: GitAccess,
  workTree: string,
  variables: GitContext['variables'] = {},
): Promise<GitContext> {
  const own = withVariables(gitInWorkTree(access, workTree), variables);
  const drivers = await access.inertDrivers();
  if (drivers.GIT_CONFIG_COUNT === '0') return own;
  const quiet = withVariables(own, drivers);
  return (await readChangedTracked(quiet)).length === 0 ? quiet : own;
}

/** Paths `git status` reports in the person's work tree: changed, staged and untracked, not ignored. */
function readDirtyPaths(context: GitContext): Promise<readonly string[]> {
  return readStatus(context, '--untracked-files=all');
}

/** Lists the paths that changed as readDirtyPaths does, without untracked files. */
function readChangedTracked(context: GitContext): Promise<readonly string[]> {
  return readStatus(context, '--untracked-files=no');
}

// simple-git refuses to run with these set, and status needs none of them.
const namesProgram = /(?:EDITOR|PAGER|ASKPASS|PROXY_COMMAND|TEMPLATE_DIR|EXTERNAL_DIFF)$|^GIT_SSH/;

/** Sorted; a rename counts with both its ends. */
async function readStatus(context: GitContext, untracked: string): Promise<readonly string[]> {
  const { simpleGit } = await import('simple-git');
  const all = { ...buildCleanGitEnvironment(context.env), ...context.variables };
  const env = Object.fromEntries(Object.entries(all).filter(([name]) => !namesProgram.test(name)));
  const git = simpleGit({
    baseDir: context.cwd,
    // simple-git refuses these by default; here they are the person's own, or switch a program off.
    unsafe: {
      allowUnsafeConfigPaths: true,
      allowUnsafeConfigEnvCount: true,
      allowUnsafeExec: true,
      allowUnsafeFilter: true,
      allowUnsafeFsMonitor: true,
      allowUnsafeMergeDriver: true,
    },
    allowEnvironment: Object.keys(env),
    config: ['core.fsmonitor=false'],
  }).env(env);
  const { files } = await git.status([untracked]);
  const paths = files.flatMap(({ path, from }) => (from === undefined || from === '' ? [path] : [from, path]));
  return [...new Set(paths)].sort();
}
