import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { FlameError } from '../../domain/flame-error.ts';
import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import type { CellWorktree, LeftoverCommitInit } from '../../domain/ports/git-cells.ts';
import { encodeFilePath, joinFileNames } from '../../util/file-names.ts';
import { killPoint } from '../../util/kill-point.ts';
import { replaceFile } from '../../util/write-files.ts';
import { writeUnsignedCommit } from '../objects/commit-tree.ts';
import type { GitAccess } from '../objects/git-access.ts';
import { looseObjectPath } from '../objects/object-source.ts';
import { requireNotStopped } from '../process/limit-git-runs.ts';
import { type GitContext, runGit, runGitForText } from '../process/run-git.ts';
import type { CellGitFolders } from './cell-git-folders.ts';
import { readRecord } from './cell-record.ts';
import { listLeftoversWithGit } from './leftovers.ts';
import { requireUnchangedSubmodules } from './require-unchanged-submodules.ts';
import {
  forgetToolIndex,
  gitWithToolIndex,
  recordToolIndexCommit,
  requireCellGitFolders,
  syncToolIndexToAgentHead,
} from './tool-index.ts';

/**
 * Commits the present content of these paths on top of the cell's HEAD, as `author`, committed by the person.
 * No hook, filter, file monitor or setting of the agent takes part. Returns the cell's new HEAD.
 */
export async function commitLeftovers(
  access: GitAccess,
  cell: CellWorktree,
  paths: readonly string[],
  { isOver, ...init }: LeftoverCommitInit,
): Promise<ObjectId> {
  const places = requireCellGitFolders(access, cell);
  const { head, git } = await syncToolIndexToAgentHead(access, cell);
  // After a kill from here on, the index would count as HEAD's own, and what is staged as no task's work.
  forgetToolIndex(places);
  killPoint('leftovers to stage');
  const tree = await stagePaths(git, paths);
  killPoint('leftovers staged');
  const merging = takeMerging(places, head);
  const commit = await writeUnsignedCommit(access, git, { tree, parents: [head, ...merging], ...init });
  killPoint('leftovers committed');
  recordToolIndexCommit(places, commit, { made: { commit, over: isOver === true ? head : null } });
  killPoint('leftovers recorded');
  if (isOver === true) return commit;
  await showAgent(places, commit);
  killPoint('leftovers shown to the agent');
  return commit;
}

/** See GitPort.readCommitMadeForAgent: read from where no agent can write. */
export function readCommitMadeForAgent(access: GitAccess, cell: CellWorktree): ObjectId | null {
  return readRecord(requireCellGitFolders(access, cell).root).made?.commit ?? null;
}

/** The commit a merge in this cell was started with, if HEAD has not moved since. */
function takeMerging({ root }: CellGitFolders, head: ObjectId): readonly ObjectId[] {
  const file = join(root, 'merging');
  if (!existsSync(file)) return [];
  const [at = '', merging = ''] = readFileSync(file, 'utf8').split('\n');
  rmSync(file);
  return at === head ? [parseObjectId(merging)] : [];
}

async function showAgent(places: CellGitFolders, head: ObjectId): Promise<void> {
  await copyIntakeToQuarantine(places);
  for (const name of ['MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'AUTO_MERGE']) {
    rmSync(join(places.agentGitDir, name), { force: true, recursive: true });
  }
  replaceFile(join(places.agentGitDir, 'index'), readFileSync(join(places.ownGitDir, 'index')));
  replaceFile(join(places.agentGitDir, 'HEAD'), `${head}\n`);
}

/** Gives the agent's git the objects made for it; copies, since what it can write must not be shared. */
export async function copyIntakeToQuarantine({ intake, objectDir }: CellGitFolders): Promise<void> {
  const folders = readdirSync(intake).filter((name) => /^[0-9a-f]{2}$/.test(name));
  for (const folder of folders) {
    // To have other threads copy a few small objects takes longer.
    await pause();
    mkdirSync(join(objectDir, folder), { recursive: true });
    for (const name of readdirSync(join(intake, folder))) {
      const target = looseObjectPath(objectDir, `${folder}${name}`);
      if (/^[0-9a-f]+$/.test(name) && !existsSync(target)) copyFileSync(join(intake, folder, name), target);
    }
  }
}

interface RescueInit {
  readonly message: string;
  readonly author: string;
  /** Paths that are left out. */
  readonly without?: readonly string[];
  /** Paths that git ignores. */
  readonly also?: readonly string[];
}

/**
 * Commits the whole worktree of a cell into its quarantine, ignored and prepared files left out, and changes
 * nothing the agent's git would see: it can be done again. The commit stands on the agent's HEAD, and on the
 * start where that is broken. null: nothing differs from the start.
 */
export async function commitCellRescue(
  access: GitAccess,
  cell: CellWorktree,
  { without = [], also = [], ...init }: RescueInit,
): Promise<ObjectId | null> {
  const places = requireCellGitFolders(access, cell);
  const { root } = places;
  const { head, git } = await openView(access, cell);
  await requireUnchangedSubmodules(access, cell, head);
  try {
    const left = new Set(without);
    const found = await listLeftoversWithGit(git, root, access.bounds);
    const paths = [...found.map(({ path }) => path).filter((path) => !left.has(path)), ...also];
    if (paths.length === 0 && head === cell.start) return null;
    // Before it, too: killed in it, what is staged would be taken for what HEAD holds, and the cell for empty.
    forgetToolIndex(places);
    const tree = await stagePaths(git, paths);
    killPoint('rescue staged');
    return await writeUnsignedCommit(access, git, { tree, parents: [head], ...init });
  } finally {
    forgetToolIndex(places);
  }
}

async function openView(
  access: GitAccess,
  cell: CellWorktree,
): Promise<{ readonly head: ObjectId; readonly git: GitContext }> {
  try {
    return await syncToolIndexToAgentHead(access, cell);
  } catch (error) {
    const isBroken = error instanceof FlameError && /^cell-(?:head|objects)-/.test(error.code);
    // More than can be judged stays where it is, whole.
    if (!isBroken) throw error;
    const git = await gitWithToolIndex(access, cell);
    await runGit(git, ['read-tree', '--reset', cell.start]);
    return { head: cell.start, git };
  }
}

const pathsAtOnce = 500;

/**
 * Puts the present content of these paths of a work tree into git's index; returns the tree that makes. What is
 * no file there any more (it is gone, a pipe, or below what is a link now) is taken out of it.
 */
export async function stagePaths(git: GitContext, paths: readonly string[]): Promise<ObjectId> {
  const isFolder = rememberFolders(git.cwd);
  const isPresent = (path: string): boolean => isFolder(dirname(path)) && isContent(encodeFilePath(git.cwd, path));
  const [present, absent]: [string[], string[]] = [[], []];
  for (const [index, path] of paths.entries()) {
    if (index % pathsAtOnce === pathsAtOnce - 1) {
      await pause();
      requireNotStopped(git.guard ?? {});
    }
    (isPresent(path) ? present : absent).push(path);
  }
  // First, so that a link can take the place of a folder.
  if (absent.length > 0)
    await runGit(git, ['update-index', '--force-remove', '-z', '--stdin'], { input: joinFileNames(absent) });
  const adding = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'];
  await runGit(git, adding, { input: joinFileNames(present) });
  return parseObjectId(await runGitForText(git, ['write-tree']));
}

/** Whether a path is that of a folder, no link on the way; `.` is. */
function rememberFolders(root: string): (path: string) => boolean {
  const known = new Map<string, boolean>([['.', true]]);
  const isFolder = (path: string): boolean => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const found = isFolder(dirname(path)) && (facts(encodeFilePath(root, path))?.isDirectory() ?? false);
    known.set(path, found);
    return found;
  };
  return isFolder;
}

/** A file or a link; the right to read a file may have been taken away, and is given back. */
function isContent(path: Buffer): boolean {
  const found = facts(path);
  if (found === null || !(found.isFile() || found.isSymbolicLink())) return false;
  if (found.isFile() && (found.mode & 0o400) === 0) chmodSync(path, (found.mode & 0o777) | 0o600);
  return true;
}

function facts(path: Buffer): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
