import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type ObjectId, objectIdPattern, parseObjectId } from '../../domain/ids.ts';
import type { BranchOperation, BranchUse, WorktreeInfo } from '../../domain/ports/git-port.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { type GitAccess, gitInWorkTree, gitOnObjects } from '../objects/git-access.ts';
import { listWorktrees, resolveDotGitOfFolder } from '../process/discover-repository.ts';
import { runGit } from '../process/run-git.ts';
import { findReftable } from '../refs/reftable.ts';
import { resolveCommit } from '../refs/resolve-commit.ts';

/**
 * Worktrees that have a branch checked out, and those whose unfinished rebase or bisection started from it: git moves
 * it at their end, so it refuses to move it meanwhile.
 */
export async function readBranchUses(access: GitAccess, branch: string): Promise<readonly BranchUse[]> {
  const worktrees = await listWorktreesWherePlaced(access);
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
  const gitDir = path === repository.workTree ? repository.gitDir : resolveDotGitOfFolder(path);
  if (gitDir === null) return null;
  const context = gitInWorkTree(access, path);
  const isInTables = findReftable(access.repository.commonDir) !== null;
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

/**
 * All work trees of the repository, each where it is: of a main one whose git folder lies elsewhere, git names that
 * folder. A bare repository is left out.
 */
export async function listWorktreesWherePlaced(access: GitAccess): Promise<readonly WorktreeInfo[]> {
  const { commonDir, gitDir, workTree, mainWorkTree } = access.repository;
  // From a linked work tree, a main one may not be known: then what is called so is the linked one.
  const isKnown = gitDir === commonDir || mainWorkTree !== workTree;
  const all = await listWorktrees(gitOnObjects(access));
  return all.flatMap(({ isBare, ...worktree }) => {
    if (isBare) return [];
    const isMisnamed = worktree.path === commonDir && isKnown && mainWorkTree !== null;
    return [isMisnamed ? { ...worktree, path: mainWorkTree } : worktree];
  });
}

const inMotion = ['rebase-merge/head-name', 'rebase-apply/head-name', 'BISECT_START'];

/** See GitTrials. Reads files: it is asked again and again, of worktrees where nothing may have changed. */
export async function readRestingTipOfWorktree(
  access: GitAccess,
  workTree: string | null,
  branch: string,
): Promise<ObjectId | null> {
  const commitOf = (ref: string): Promise<ObjectId | null> => resolveCommit(gitOnObjects(access), ref, access.objects);
  const head = workTree === null ? '' : restingHead(workTree);
  if (objectIdPattern.test(head)) return parseObjectId(head);
  const ref = /^ref: (refs\/heads\/[\w./-]+)$/.exec(head)?.[1];
  // Where refs are kept in tables, the file names none that exists.
  const checkedOut = ref === undefined ? null : await commitOf(ref);
  return checkedOut ?? commitOf(`refs/heads/${branch}`);
}

/** Reads HEAD; '' where the worktree is gone, or an operation moved HEAD and will return to the branch. */
function restingHead(workTree: string): string {
  const found = /^gitdir: (.+)/.exec(readTextOrEmpty(join(workTree, '.git')))?.[1];
  if (found === undefined) return '';
  const gitDir = resolve(workTree, found);
  return inMotion.some((name) => readTextOrEmpty(join(gitDir, name)) !== '')
    ? ''
    : readTextOrEmpty(join(gitDir, 'HEAD')).trim();
}
