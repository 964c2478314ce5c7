import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { CellInfo, CellWorktree } from '../../domain/ports/git-cells.ts';
import { joinNames } from '../../util/file-names.ts';
import type { GitAccess } from '../objects/git-access.ts';
import { runGit } from '../process/run-git.ts';
import { verifyObjects } from './verify-objects.ts';
import { followAgent, noteOwnIndex, ownGit, pathsOf, readCellHead } from './view.ts';

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
 * Whether an agent's commits are all that is left of a cell: then its worktree is made again, unless the process that
 * made the cell lives and will do so itself.
 */
export async function keepCommits(
  access: GitAccess,
  cell: CellWorktree,
  owner: CellInfo['owner'],
): Promise<boolean> {
  if ((await verifiedHead(access, cell)) === cell.start) return false;
  if (owner === 'gone' || owner === 'unknown') await restoreWorktree(access, cell);
  return true;
}

/** Makes tracked files of a cell what its HEAD has them be, as git checks them out. */
export async function restoreTracked(
  access: GitAccess,
  cell: CellWorktree,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const { git } = await followAgent(access, cell);
  await runGit(git, ['checkout-index', '--force', '-z', '--stdin'], { input: joinNames(paths) });
}
