import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BranchOperation, BranchUse } from '../../domain/ports/git-port.ts';
import { type GitAccess, inWorkTree } from '../objects/git-access.ts';
import { gitDirOf } from '../process/git-dir-of.ts';
import { runGit } from '../process/run-git.ts';
import { reftableOf } from '../refs/reftable.ts';
import { placedWorktrees } from './placed-worktrees.ts';

/**
 * Worktrees that have a branch checked out, and those whose unfinished rebase or bisection started from it: git moves
 * it at their end, so it refuses to move it meanwhile.
 */
export async function readBranchUses(access: GitAccess, branch: string): Promise<readonly BranchUse[]> {
  const worktrees = await placedWorktrees(access);
  const [main] = worktrees;
  const returning = gitDirs(access.repository.commonDir).flatMap((gitDir) => {
    const operation = returningTo(gitDir, branch);
    const path = pathOf(gitDir) ?? main?.path ?? gitDir;
    return operation === null ? [] : [{ path, isThere: isWorkTree(path), operation }];
  });
  const checkedOut = worktrees.filter(
    ({ path, branch: name }) => name === branch && !returning.some((use) => use.path === path),
  );
  const uses = checkedOut.map(async ({ path }): Promise<BranchUse> => {
    const isThere = isWorkTree(path);
    return { path, isThere, operation: isThere ? await underWay(access, path) : null };
  });
  return [...returning, ...(await Promise.all(uses))];
}

function isWorkTree(path: string): boolean {
  return existsSync(join(path, '.git'));
}

function gitDirs(commonDir: string): readonly string[] {
  const folder = join(commonDir, 'worktrees');
  const linked = existsSync(folder) ? readdirSync(folder) : [];
  return [commonDir, ...linked.map((name) => join(folder, name))];
}

/** Where the worktree of a linked git folder is; null of the main one. */
function pathOf(gitDir: string): string | null {
  const file = textOf(join(gitDir, 'gitdir'));
  return file === '' ? null : dirname(file);
}

/** Returns the operation that will move a branch at its end, although HEAD doesn't stand on it meanwhile. */
function returningTo(gitDir: string, branch: string): BranchOperation | null {
  const ref = `refs/heads/${branch}`;
  const heads = ['rebase-merge', 'rebase-apply'].map((name) => textOf(join(gitDir, name, 'head-name')));
  // With --update-refs: three lines each, the first is the ref.
  const others = textOf(join(gitDir, 'rebase-merge', 'update-refs')).split('\n');
  if ([...heads, ...others].includes(ref)) return 'rebase';
  const bisected = textOf(join(gitDir, 'BISECT_START'));
  return [ref, branch].includes(bisected) ? 'bisect' : null;
}

/** Returns the operation in progress on the branch that is checked out in a work tree. */
async function underWay(access: GitAccess, path: string): Promise<BranchOperation | null> {
  const { repository } = access;
  const gitDir = path === repository.workTree ? repository.gitDir : gitDirOf(path);
  if (gitDir === null) return null;
  const context = inWorkTree(access, path);
  const isInTables = reftableOf(access.repository.commonDir) !== null;
  const names = { merge: 'MERGE_HEAD', 'cherry-pick': 'CHERRY_PICK_HEAD', revert: 'REVERT_HEAD' } as const;
  for (const [operation, name] of Object.entries(names) as [keyof typeof names, string][]) {
    // Where refs are kept in tables, most of these are no files.
    const args = ['rev-parse', '--verify', '--quiet', name];
    const isThere = isInTables
      ? (await runGit(context, args, { accept: [0, 1, 128] })).exitCode === 0
      : existsSync(join(gitDir, name));
    if (isThere) return operation;
  }
  if (existsSync(join(gitDir, 'rebase-apply', 'applying'))) return 'am';
  const todo = textOf(join(gitDir, 'sequencer', 'todo'));
  return todo === '' ? null : /^revert /.test(todo) ? 'revert' : 'cherry-pick';
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').replace(/\n+$/, '') : '';
}
