import { appendFileSync, existsSync, lstatSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import type { CheckedWorkLimits } from '../../domain/config/checked-work-limits.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { CellWorktree, Leftover } from '../../domain/ports/git-cells.ts';
import {
  encodeFileName,
  isTextFileName,
  joinFileNames,
  renderFileName,
  splitFileNames,
} from '../../util/file-names.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { compareText } from '../../util/sort-and-group.ts';
import type { GitAccess } from '../objects/git-access.ts';
import { requireNotStopped } from '../process/limit-git-runs.ts';
import { type GitContext, runGit } from '../process/run-git.ts';
import { agentCommonFolderName } from './agent-refs.ts';
import { requireUnchangedSubmodules } from './require-unchanged-submodules.ts';
import { workTooLargeError } from './require-work-in-bounds.ts';
import { gitWithToolIndex, requireCellGitFolders, syncToolIndexToAgentHead } from './tool-index.ts';

/** In a cell's record: see recordPreparedPaths. */
export const preparedPathsFile = 'prepared';

/**
 * Files of a cell's worktree that differ from its HEAD, sorted; ignored and prepared ones are left out. Names are as
 * decodeFileName reads them. Throws FlameError `cell-submodule` where there is something that git sees nothing of.
 */
export async function readLeftovers(access: GitAccess, cell: CellWorktree): Promise<readonly Leftover[]> {
  const { head, git } = await syncToolIndexToAgentHead(access, cell);
  await requireUnchangedSubmodules(access, cell, head);
  return listLeftoversWithGit(git, requireCellGitFolders(access, cell).root, access.bounds);
}

/** Beyond that, folders stand for what is in them. */
const mostPrepared = 5_000;

/**
 * Records untracked paths of a cell that belong to no task's work, and has the agent's git leave them alone; what git
 * ignores of `globs` is among them.
 */
export async function recordPreparedPaths(
  access: GitAccess,
  cell: CellWorktree,
  { paths, globs }: { readonly paths: readonly string[]; readonly globs: readonly string[] },
): Promise<void> {
  const { root, agentGitDir } = requireCellGitFolders(access, cell);
  const ignored = globs.length === 0 ? [] : await listIgnored(await gitWithToolIndex(access, cell), globs);
  writeFileSync(join(root, preparedPathsFile), joinFileNames([...paths, ...ignored]));
  if (paths.length === 0) return;
  const lines = paths.map((path) => Buffer.concat([encodeFileName(patternOf(path)), Buffer.from('\n')]));
  appendFileSync(
    join(agentGitDir, agentCommonFolderName, 'info', 'exclude'),
    Buffer.concat([Buffer.from('\n'), ...lines]),
  );
}

async function listIgnored(git: GitContext, globs: readonly string[]): Promise<readonly string[]> {
  const specs = globs.flatMap((glob) => [`:(glob)${glob}`, `:(glob)${glob}/**`]);
  const list = async (...options: readonly string[]): Promise<readonly string[]> => {
    const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', ...options, '--', ...specs];
    return splitFileNames((await runGit(git, args, { env: { GIT_LITERAL_PATHSPECS: '0' } })).stdout);
  };
  const files = await list();
  return files.length > mostPrepared ? list('--directory') : files;
}

/** A pattern that means this path alone; gitignore(5). No pattern holds a line feed. */
function patternOf(path: string): string {
  return `/${path.replace(/[\\*?[\]!# ]/g, '\\$&').replaceAll('\n', '?')}`;
}

/** Returns the paths that recordPreparedPaths recorded; a name that ends in a slash covers all below it. */
export function listPreparedPaths(access: GitAccess, cell: CellWorktree): readonly string[] {
  return [...readPreparedPathsFile(requireCellGitFolders(access, cell).root)];
}

/**
 * Lists the changed paths by a git that is at work in the cell's tree; `root` is the cell's record. Throws FlameError
 * `cell-too-much` where they are more than is judged.
 */
export async function listLeftoversWithGit(
  git: GitContext,
  root: string,
  bounds: CheckedWorkLimits,
): Promise<readonly Leftover[]> {
  const prepared = readPreparedPathsFile(root);
  const { stdout } = await runGit(git, [
    'ls-files',
    '-z',
    '-t',
    '--modified',
    '--deleted',
    '--others',
    '--exclude-standard',
  ]);
  const entries = splitFileNames(stdout).map((entry) => ({ tag: entry[0], path: entry.slice(2) }));
  const found = new Map<string, boolean>();
  for (const { tag, path } of entries) {
    const isTracked = tag !== '?';
    const files = path.endsWith('/') ? await readNested(git, path) : [path];
    for (const file of files) found.set(file, isTracked);
  }
  const leftovers = [...found]
    .map(([path, isTracked]) => ({ path, isTracked, target: targetOf(join(git.cwd, path)) }))
    .filter(({ path, isTracked }) => isTracked || !prepared.has(path))
    .sort((a, b) => compareText(a.path, b.path));
  await requireFew(git, leftovers, bounds);
  return leftovers;
}

const pathsAtOnce = 500;

/** How long files read counts, not what they take on the disk: each byte would be looked at. */
async function requireFew(
  { cwd: workTree, guard }: Pick<GitContext, 'cwd' | 'guard'>,
  leftovers: readonly Leftover[],
  bounds: CheckedWorkLimits,
): Promise<void> {
  if (leftovers.length > bounds.paths)
    throw workTooLargeError('changed paths', { found: leftovers.length, most: bounds.paths });
  let bytes = 0;
  for (const [index, { path }] of leftovers.entries()) {
    if (index % pathsAtOnce === pathsAtOnce - 1) {
      await pause();
      requireNotStopped(guard ?? {});
    }
    bytes += sizeOf(join(workTree, path));
  }
  if (bytes > bounds.bytes) throw workTooLargeError('bytes in changed files', { found: bytes, most: bounds.bytes });
}

function targetOf(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    // It is gone, or its name is no text.
    return null;
  }
}

function sizeOf(path: string): number {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    // Below what is no folder any more.
    return 0;
  }
}

export function readPreparedPathsFile(root: string): ReadonlySet<string> {
  const file = join(root, preparedPathsFile);
  return new Set(existsSync(file) ? splitFileNames(readFileSync(file)) : []);
}

/**
 * Files of a repository the agent made inside its worktree, such as by a project generator: git names such a
 * folder alone. They are listed as plain files, by a git for which that folder is the whole work tree; the
 * repository in it is never opened.
 */
async function readNested(git: GitContext, folder: string, depth = 0): Promise<readonly string[]> {
  if (!isTextFileName(folder)) throw oddFolder(git.cwd, folder);
  const root = join(git.cwd, folder);
  const { stdout } = await runGit({ ...git, cwd: root }, ['ls-files', '-z', '--others', '--exclude-standard'], {
    env: { GIT_WORK_TREE: root, GIT_INDEX_FILE: join(git.variables?.GIT_DIR ?? '', 'no-index') },
  });
  const found: string[] = [];
  // One after another: there may be hundreds.
  for (const path of splitFileNames(stdout)) {
    const isDeeper = path.endsWith('/') && depth < 10;
    const below = isDeeper ? await readNested(git, `${folder}${path}`, depth + 1) : [`${folder}${path}`];
    for (const one of below) found.push(one);
  }
  return found;
}

/** git can't be started in a folder that node can't name. */
function oddFolder(worktree: string, folder: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'cell-odd-folder',
    message: `The repository in the folder ${renderFileName(folder)} can't be accepted: its name is not UTF-8.`,
    hints: [`ls ${shellQuote(worktree)}`],
  });
}
