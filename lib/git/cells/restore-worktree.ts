import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { CellInfo, CellWorktree } from '../../domain/ports/git-cells.ts';
import { joinFileNames } from '../../util/file-names.ts';
import { replaceFile } from '../../util/write-files.ts';
import type { GitAccess } from '../objects/git-access.ts';
import { runGit } from '../process/run-git.ts';
import { copyIntakeToQuarantine } from './commit-leftovers.ts';
import { copyVerifiedObjects } from './copy-verified-objects.ts';
import {
  forgetToolIndex,
  gitWithToolIndex,
  readCellHead,
  recordToolIndexCommit,
  requireCellGitFolders,
  setToolHead,
  syncToolIndexToAgentHead,
} from './tool-index.ts';

/**
 * Makes the worktree of a cell again where its folder was removed: it holds what its agent committed last. What was not
 * committed is lost. Resolves to whether it was removed.
 */
export async function recreateCellWorktree(access: GitAccess, cell: CellWorktree): Promise<boolean> {
  if (existsSync(cell.path)) return false;
  const places = requireCellGitFolders(access, cell);
  mkdirSync(cell.path, { recursive: true, mode: 0o700 });
  writeFileSync(join(cell.path, '.git'), `gitdir: ${places.agentGitDir}\n`);
  const head = await verifiedHead(access, cell);
  await runGit(await gitWithToolIndex(access, cell), ['read-tree', '--reset', '-u', head]);
  recordToolIndexCommit(places, head);
  return true;
}

/** The agent's HEAD, else where it began: what is wrong with the former is said where its work is judged. */
async function verifiedHead(access: GitAccess, cell: CellWorktree): Promise<ObjectId> {
  try {
    const head = await readCellHead(access, cell);
    await copyVerifiedObjects(access, cell.quarantine, head);
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
export async function restoreIfOnlyCommitsLeft(
  access: GitAccess,
  cell: CellWorktree,
  owner: CellInfo['owner'],
): Promise<boolean> {
  if ((await verifiedHead(access, cell)) === cell.start) return false;
  if (owner === 'gone' || owner === 'unknown') await recreateCellWorktree(access, cell);
  return true;
}

/** Makes tracked files of a cell what its HEAD has them be, as git checks them out. */
export async function restoreTracked(access: GitAccess, cell: CellWorktree, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const { git } = await syncToolIndexToAgentHead(access, cell);
  await runGit(git, ['checkout-index', '--force', '-z', '--stdin'], { input: joinFileNames(paths) });
}

const handedOver = ['MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'AUTO_MERGE', 'ORIG_HEAD'];
const quietly = ['--no-commit', '--no-ff', '--no-stat', '--no-gpg-sign', '--no-verify-signatures', '--no-edit', '-q'];

/**
 * Merges `commit` into a cell's worktree without committing: conflicted files hold markers, and the agent's
 * git knows of the merge. Returns the conflicted paths, sorted; none if it merged cleanly or had nothing to do.
 */
export async function startMergeInCell(
  access: GitAccess,
  cell: CellWorktree,
  commit: ObjectId,
): Promise<readonly string[]> {
  const places = requireCellGitFolders(access, cell);
  const { head, git } = await syncToolIndexToAgentHead(access, cell);
  forgetToolIndex(places);
  setToolHead(places, head);
  await runGit(git, ['merge', ...quietly, commit], { accept: [0, 1] });
  const { stdout } = await runGit(git, ['ls-files', '-z', '--unmerged']);
  await copyIntakeToQuarantine(places);
  for (const name of handedOver) handOver(places.ownGitDir, places.agentGitDir, name);
  replaceFile(join(places.agentGitDir, 'index'), readFileSync(join(places.ownGitDir, 'index')));
  writeFileSync(join(places.root, 'merging'), `${head}\n${commit}\n`);
  const paths = stdout
    .toString()
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.slice(entry.indexOf('\t') + 1));
  return [...new Set(paths)].sort();
}

function handOver(from: string, to: string, name: string): void {
  const file = join(from, name);
  if (!existsSync(file)) return;
  replaceFile(join(to, name), readFileSync(file));
  rmSync(file);
}
