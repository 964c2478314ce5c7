import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import { encodeFilePath, renderFileName } from '../../util/file-names.ts';
import { listByteNamesIn } from '../../util/read-file.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { listSymlinksAndSubmodules, selectSubmodulePaths } from '../objects/commit-files.ts';
import type { GitAccess } from '../objects/git-access.ts';
import { readFileFingerprint } from './snapshot-cell.ts';
import { gitOnVerifiedObjects, requireCellGitFolders } from './tool-index.ts';

/** In a cell's record: what was in its submodules before its agent started. */
const preparedFile = 'prepared-submodules';

/**
 * Refuses to read a worktree in whose submodules something was changed: git sees nothing of what lies in one that
 * isn't a repository there, so it would be lost, and obeys the settings of what is one. `stand`: a verified commit whose
 * submodules count as well as those of the start. Throws FlameError `cell-submodule`.
 */
export async function requireUnchangedSubmodules(
  access: GitAccess,
  cell: CellWorktree,
  stand: ObjectId = cell.start,
): Promise<void> {
  const objects = gitOnVerifiedObjects(access, requireCellGitFolders(access, cell).intake);
  const others = stand === cell.start ? [] : selectSubmodulePaths(await listSymlinksAndSubmodules(objects, stand));
  const now = contentsOf(cell, new Set([...selectSubmodulePaths(await access.linkedPaths(cell.start)), ...others]));
  if (now.size === 0) return;
  const before = readPrepared(requireCellGitFolders(access, cell).root);
  const changed = [...now].filter(([path, content]) => before.get(path) !== content).map(([path]) => path);
  if (changed.length === 0) return;
  throw new FlameError({
    kind: 'refused',
    code: 'cell-submodule',
    message: `Changes inside submodule ${changed.map(renderFileName).join(', ')} can't be accepted.`,
    details: [
      `They are in ${cell.path}. A submodule is another repository: make the change there, then update the commit it points to yourself. The worktree can be removed once the submodule's folder in it is empty.`,
    ],
    hints: changed.map((path) => `ls -A ${shellQuote(join(cell.path, renderFileName(path)))}`),
  });
}

/** Records what is in submodules now as no task's work. */
export async function recordPreparedSubmodules(access: GitAccess, cell: CellWorktree): Promise<void> {
  const now = contentsOf(cell, new Set(selectSubmodulePaths(await access.linkedPaths(cell.start))));
  if (now.size === 0) return;
  writeFileSync(join(requireCellGitFolders(access, cell).root, preparedFile), JSON.stringify([...now]));
}

function readPrepared(root: string): ReadonlyMap<string, string> {
  const file = join(root, preparedFile);
  const entries: [string, string][] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  return new Map(entries);
}

/** Submodules that hold something, each with a digest that differs once anything in it does. */
function contentsOf({ path: worktree }: CellWorktree, paths: ReadonlySet<string>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const path of paths) {
    const digest = createHash('sha256');
    const root = encodeFilePath(worktree, path);
    const { isFolder, facts } = readFileFingerprint(root);
    const isEmpty = facts === 'unreadable' || (isFolder && addFolder(digest, root) === 0);
    if (!isFolder) digest.update(facts);
    if (!isEmpty) found.set(path, digest.digest('hex'));
  }
  return found;
}

/** Adds what lies in a folder; returns how much that is. Nothing is followed: an agent may have put a link anywhere. */
function addFolder(digest: ReturnType<typeof createHash>, folder: Buffer): number {
  const names = [...listByteNamesIn(folder)].sort(Buffer.compare);
  for (const name of names) {
    const path = Buffer.concat([folder, Buffer.from('/'), name]);
    const { isFolder, facts } = readFileFingerprint(path);
    digest.update(path).update(`\0${facts}\0`);
    if (isFolder) addFolder(digest, path);
  }
  return names.length;
}
