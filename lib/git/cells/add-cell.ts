import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { CellSubject, CellWorktree } from '../../domain/ports/git-cells.ts';
import { killPoint } from '../../util/kill-point.ts';
import { ownIdentity } from '../../util/process-identity.ts';
import { removeEmptyTrees, removeTree } from '../../util/remove-tree.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { type GitAccess, withVariables } from '../objects/git-access.ts';
import { requireNotStopped } from '../process/limit-git-runs.ts';
import { runGit } from '../process/run-git.ts';
import { agentCommonFolderName, makeAgentCommonFolder } from './agent-refs.ts';
import {
  buildCellFromRecord,
  buildCellGitFolders,
  type CellGitFolders,
  unfinishedCellFolder,
} from './cell-git-folders.ts';
import { addToRecord, beginCellRecord, type RecordFacts, readRecord } from './cell-record.ts';
import type { ImportOptions } from './import-objects.ts';
import { gitWithToolIndex } from './tool-index.ts';

/** See CellWorktree; null: a scratch worktree. */
interface CellInit extends Pick<CellWorktree, 'start' | 'base'> {
  readonly subject: CellSubject | null;
  /** null: it holds the whole commit. */
  readonly sparse: readonly string[] | null;
}

/**
 * Makes a detached worktree at `path` (absent) with a quarantine of its own, named after the last
 * part of the path. On any failure nothing is left. Throws FlameError `cell-exists` where the name or folder
 * is taken.
 *
 * It's built by hand, by the layout gitrepository-layout(5) documents, because the worktree's private git
 * folder must lie outside `<common>/worktrees`: there, the repository's own `git log --all`, `gc` and `fsck`
 * would follow HEAD to objects that are in quarantine. Making the quarantine an alternate of the repository
 * is no way out: every git of the person would then skip writing an object the agent happens to have, and
 * lose it when the quarantine goes. What does lie in `<common>/worktrees` is a listing whose HEAD stays at the
 * start: `git worktree list` shows the cell and gc keeps what it stands on.
 */
export async function addCell(
  access: GitAccess,
  path: string,
  { subject, sparse, ...commits }: CellInit,
): Promise<CellWorktree> {
  const { commonDir } = access.repository;
  const paths = buildCellGitFolders(commonDir, basename(path));
  const known = { ...commits, common: commonDir, ...(subject === null ? {} : { subject }) };
  claimFolders(paths, path, known);
  try {
    writeGitFolders(paths, path, commits.start);
    await makeAgentCommonFolder(access, paths.agentGitDir);
    killPoint('cell recorded');
    const cell = buildCellFromRecord(commonDir, paths.id, readRecord(paths.root));
    await checkOut(access, cell, { paths, sparse });
    killPoint('cell checked out');
    // Until here no agent can have been in it: an unfinished cell can be thrown away as it is.
    addToRecord(paths.root, { ready: true, index: cell.start });
    killPoint('cell ready');
    return cell;
  } catch (error) {
    await removeCell(commonDir, paths.id, path);
    throw error;
  }
}

function claimFolders(paths: CellGitFolders, path: string, known: RecordFacts): void {
  if (!/^[A-Za-z0-9][\w-]*(?:\.[\w-]+)*$/.test(paths.id)) throw taken(path, 'is not a valid name for a cell', {});
  mkdirSync(dirname(paths.listing), { recursive: true });
  mkdirSync(dirname(dirname(paths.root)), { recursive: true });
  // Folders that keep closed to other users what an agent opens in folders of its own: it can't change these.
  for (const folder of [dirname(paths.root), dirname(paths.objectDir)])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  const claimed: string[] = [];
  // To make a folder is the claim: it fails where anything is already.
  for (const folder of [paths.root, paths.listing, paths.objectDir, path]) {
    try {
      // A program with the setuid bit, left there by an agent, is nothing that another user of the machine can reach.
      if (folder === path) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      if (folder === paths.root) claimRecord(folder, { owner: ownIdentity(), worktree: path, ...known });
      else mkdirSync(folder, { mode: folder === paths.listing ? 0o777 : 0o700 });
    } catch (error) {
      for (const made of claimed) rmSync(made, { recursive: true });
      const isThere = error instanceof Error && 'code' in error && /^(?:EEXIST|ENOTEMPTY)$/.test(`${error.code}`);
      if (!isThere) throw error;
      // What lies where a worktree goes is a person's: the cleanup leaves it.
      const away = `mv ${shellQuote(path)} ${shellQuote(`${path}.kept`)}`;
      throw taken(folder, 'already exists', { cause: error, hint: folder === path ? away : 'git flame cleanup' });
    }
    claimed.push(folder);
    killPoint('cell folder made');
  }
}

/** It appears with what says whose it is and where: a kill from here on leaves nothing that can't be found. */
function claimRecord(root: string, facts: RecordFacts): void {
  const making = unfinishedCellFolder(root);
  mkdirSync(making, { mode: 0o700 });
  killPoint('cell to record');
  try {
    beginCellRecord(making, facts);
    renameSync(making, root);
  } catch (error) {
    rmSync(making, { recursive: true });
    throw error;
  }
}

function writeGitFolders(paths: CellGitFolders, path: string, start: ObjectId): void {
  // pack and info exist so that a sandbox can bind them read-only: loose objects are all an agent needs.
  const folders = [join(paths.objectDir, 'pack'), join(paths.objectDir, 'info')];
  for (const folder of [...folders, paths.agentGitDir, paths.ownGitDir, paths.intake]) mkdirSync(folder);
  const gitDirs = [
    [paths.agentGitDir, agentCommonFolderName],
    [paths.ownGitDir, '../../../..'],
    [paths.listing, '../..'],
  ] as const;
  for (const [folder, toCommon] of gitDirs) {
    writeFileSync(join(folder, 'HEAD'), `${start}\n`);
    writeFileSync(join(folder, 'commondir'), `${toCommon}\n`);
    // The tool names the work tree whenever it starts git in its own.
    if (folder !== paths.ownGitDir) writeFileSync(join(folder, 'gitdir'), `${join(path, '.git')}\n`);
  }
  // `git worktree prune` and `remove` leave a locked one alone.
  writeFileSync(join(paths.listing, 'locked'), 'in use by git flame\n');
  writeFileSync(join(path, '.git'), `gitdir: ${paths.agentGitDir}\n`);
}

async function checkOut(
  access: GitAccess,
  cell: CellWorktree,
  { paths, sparse }: { readonly paths: CellGitFolders; readonly sparse: readonly string[] | null },
): Promise<void> {
  if (sparse !== null) {
    mkdirSync(join(paths.ownGitDir, 'info'));
    writeFileSync(join(paths.ownGitDir, 'info', 'sparse-checkout'), `${sparse.join('\n')}\n`);
  }
  // No agent was in it yet, and a large repository takes its time.
  const own = { ...(await gitWithToolIndex(access, cell)), guard: undefined };
  // Objects that a partial clone lacks are fetched into the repository, once, where the agent's git finds them.
  const git = withVariables(own, { GIT_OBJECT_DIRECTORY: join(access.repository.commonDir, 'objects') });
  const set = sparse === null ? [] : ['-c', 'core.sparseCheckout=true', '-c', 'core.sparseCheckoutCone=false'];
  await runGit(git, [...set, 'read-tree', '-m', '-u', cell.start]);
  copyFileSync(join(paths.ownGitDir, 'index'), join(paths.agentGitDir, 'index'));
}

function taken(
  folder: string,
  what: string,
  { cause, hint }: { readonly cause?: unknown; readonly hint?: string },
): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'cell-exists',
    message: `A worktree can't be made: ${folder} ${what}.`,
    hints: hint === undefined ? [] : [hint],
    cause,
  });
}

/** The mark of a cell whose removal has begun; removeUnfinishedCells finishes it. */
export const cellRemovalSuffix = '.removing';

/**
 * Removes a cell's worktree at `path`, its quarantine and its record. The first step renames the record, so
 * a removal that was cut short is known as one. Doing it again is harmless. Throws FlameError `interrupted` where the
 * person stopped the program meanwhile.
 */
export async function removeCell(
  commonDir: string,
  id: string,
  path: string | null,
  { onStep = () => undefined, guard = {} }: ImportOptions = {},
): Promise<void> {
  // Once the person stopped the program: the next start removes it.
  requireNotStopped(guard);
  const remove = async (folder: string): Promise<void> => {
    await removeTree(folder, guard.stopped).catch((error: unknown) => {
      requireNotStopped(guard);
      throw error;
    });
  };
  const { root, listing, objectDir } = buildCellGitFolders(commonDir, id);
  const leaving = `${root}${cellRemovalSuffix}`;
  if (existsSync(root)) {
    // The rest of an earlier removal would be in the way.
    await removeTree(leaving);
    renameSync(root, leaving);
  }
  onStep('record renamed');
  if (path !== null) await remove(path).then(() => removeEmptyTrees(path));
  onStep('worktree removed');
  // Away in one step: half a listing would make `git worktree list` complain.
  if (existsSync(listing)) renameSync(listing, join(leaving, 'listing'));
  onStep('listing removed');
  await remove(objectDir);
  onStep('objects removed');
  await remove(leaving);
}
