import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import type { GitAccess } from '../objects/git-access.ts';
import { runGit } from '../process/run-git.ts';
import { locateWorktree, wasMoved } from './locate-cell.ts';
import { cellPaths, cellsFolder, describeCell, listFolders, ownerState } from './paths.ts';
import { readRecord } from './record.ts';
import { verifyObjects } from './verify-objects.ts';
import { noteOwnIndex, ownGit, pathsOf, readCellHead } from './view.ts';

/**
 * Makes the worktree of a cell again where its folder was removed: it holds what its agent committed last. What was not
 * committed is lost. Resolves to whether it was removed.
 */
export async function restoreWorktree(access: GitAccess, cell: CellWorktree): Promise<boolean> {
  if (existsSync(cell.path)) return false;
  const places = pathsOf(access, cell);
  mkdirSync(cell.path, { recursive: true, mode: 0o700 });
  writeFileSync(join(cell.path, '.git'), `gitdir: ${places.agentGitDir}\n`);
  const head = await verifiedHead(access, cell);
  await runGit(await ownGit(access, cell), ['read-tree', '--reset', '-u', head]);
  noteOwnIndex(places, head);
  return true;
}

/** The agent's HEAD, else where it began: what is wrong with the former is said where its work is judged. */
async function verifiedHead(access: GitAccess, cell: CellWorktree): Promise<ObjectId> {
  try {
    const head = await readCellHead(access, cell);
    await verifyObjects(access, cell.quarantine, head);
    return head;
  } catch (error) {
    if (error instanceof FlameError && error.code.startsWith('cell-')) return cell.start;
    throw error;
  }
}

/**
 * Makes worktrees again whose agents had committed something, once the processes that made them have ended. Returns the
 * names of all cells of which the commits are all that is left.
 */
export async function restoreWorktrees(access: GitAccess): Promise<ReadonlySet<string>> {
  const { commonDir } = access.repository;
  const found = new Set<string>();
  for (const name of listFolders(cellsFolder(commonDir))) {
    const record = readRecord(cellPaths(commonDir, name).root);
    const { isReady, subject, worktree } = record;
    if (!isReady || subject === null || worktree === null || basename(worktree) !== name) continue;
    if (wasMoved(commonDir, record) || locateWorktree(commonDir, name, record) !== null) continue;
    const cell = describeCell(commonDir, name, record);
    if ((await verifiedHead(access, cell)) === cell.start) continue;
    found.add(name);
    if (ownerState(record) !== 'alive') await restoreWorktree(access, cell);
  }
  return found;
}
