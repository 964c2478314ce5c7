import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CellWorktree } from '../domain/git-port.ts';
import { followAgent, pathsOf } from './cell-view.ts';
import type { GitAccess } from './git-access.ts';
import { type GitContext, runGit } from './run-git.ts';

/** In a cell's record: see markPrepared. */
const preparedFile = 'prepared';

export interface Leftover {
  readonly path: string;
  readonly isTracked: boolean;
}

/** Files of a cell's worktree that differ from its HEAD, sorted; ignored and prepared ones are left out. */
export async function readLeftovers(access: GitAccess, cell: CellWorktree): Promise<readonly Leftover[]> {
  const { git } = await followAgent(access, cell);
  return listLeftovers(git, pathsOf(access, cell).root);
}

/** Notes untracked paths of a cell that are nobody's work. */
export function markPrepared(access: GitAccess, cell: CellWorktree, paths: readonly string[]): void {
  writeFileSync(join(pathsOf(access, cell).root, preparedFile), paths.join('\0'));
}

/** The same by a git that is at work in the cell's tree; `root` is the cell's record. */
export async function listLeftovers(git: GitContext, root: string): Promise<readonly Leftover[]> {
  const prepared = readPrepared(root);
  const { stdout } = await runGit(git, [
    ...['ls-files', '-z', '-t', '--modified', '--deleted', '--others', '--exclude-standard'],
  ]);
  const entries = splitNul(stdout).map((entry) => ({ tag: entry[0], path: entry.slice(2) }));
  const found = new Map<string, boolean>();
  for (const { tag, path } of entries) {
    const isTracked = tag !== '?';
    const files = path.endsWith('/') ? await readNested(git, path) : [path];
    for (const file of files) found.set(file, isTracked);
  }
  return [...found]
    .map(([path, isTracked]) => ({ path, isTracked }))
    .filter(({ path, isTracked }) => isTracked || !prepared.has(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function readPrepared(root: string): ReadonlySet<string> {
  const file = join(root, preparedFile);
  return new Set(existsSync(file) ? splitNul(readFileSync(file)) : []);
}

/**
 * Files of a repository the agent made inside its worktree, such as by a project generator: git names such a
 * folder alone. They are listed as plain files, by a git for which that folder is the whole work tree; the
 * repository in it is never opened.
 */
async function readNested(git: GitContext, folder: string, depth = 0): Promise<readonly string[]> {
  const root = join(git.cwd, folder);
  const { stdout } = await runGit(
    { ...git, cwd: root },
    ['ls-files', '-z', '--others', '--exclude-standard'],
    { env: { GIT_WORK_TREE: root, GIT_INDEX_FILE: join(git.variables?.GIT_DIR ?? '', 'no-index') } },
  );
  const lists = splitNul(stdout).map((path) => {
    const isDeeper = path.endsWith('/') && depth < 10;
    return isDeeper ? readNested(git, `${folder}${path}`, depth + 1) : [`${folder}${path}`];
  });
  return (await Promise.all(lists)).flat();
}

function splitNul(output: Buffer): string[] {
  return output
    .toString()
    .split('\0')
    .filter((entry) => entry !== '');
}
